import { moneyOfUnits } from '../model/money.ts';
import type { Money } from '../model/money.ts';
import type { RateKind } from '../model/vocabulary/prices.ts';
import type { Rate } from './price.ts';

/** A price that no public list has. */
export interface OwnPrice {
  readonly providerId: string;
  readonly reference: string;
  /** Date, UTC, from which it holds until the next row of the same provider. */
  readonly validFrom: string;
  readonly rates: readonly (readonly ['input' | 'cache_read' | 'output', Money])[];
}

/**
 * Prices of our own, rows of one provider in rising order of their date. `echo`, the built-in provider, answers without a network and costs
 * nothing; its test prices make costs visible and easy to check in a first run, in the demo and in tests.
 */
const ownPrices: readonly OwnPrice[] = [
  {
    providerId: 'echo',
    reference: 'echo/*',
    validFrom: '1970-01-01',
    rates: [
      ['input', cents(100n)],
      ['cache_read', cents(10n)],
      ['output', cents(200n)],
    ],
  },
];

/** The own price of a provider, for all its models, at a time in Unix milliseconds. */
export function ownPrice(providerId: string, at: number): OwnPrice | undefined {
  return ownPrices.findLast((price) => price.providerId === providerId && Date.parse(price.validFrom) <= at);
}

/** A rate that the provider states as a multiple of another and the price book often leaves out. */
interface DerivedRate {
  readonly kind: RateKind;
  readonly of: RateKind;
  readonly times: bigint;
  /** Stands in the reference of every model that it is for, whoever serves it. */
  readonly models: string;
  readonly validFrom: string;
  readonly source: string;
}

const derivedRates: readonly DerivedRate[] = [
  {
    kind: 'cache_write_1h',
    of: 'input',
    times: 2n,
    models: 'claude',
    validFrom: '2025-05-22',
    source: 'https://platform.claude.com/docs/en/build-with-claude/prompt-caching',
  },
];

/** The rates of a model with those that follow from them. */
export function withDerivedRates(reference: string, rates: ReadonlyMap<RateKind, Rate>, at: number): ReadonlyMap<RateKind, Rate> {
  const missing = derivedRates.filter(
    ({ kind, models, validFrom }) => !rates.has(kind) && reference.includes(models) && Date.parse(validFrom) <= at,
  );
  if (missing.length === 0) return rates;
  const derived = missing.flatMap(({ kind, of, times }): [RateKind, Rate][] => {
    const rate = rates.get(of);
    return rate === undefined ? [] : [[kind, multiplied(rate, times)]];
  });
  return new Map([...rates, ...derived]);
}

function multiplied({ perMillion, steps }: Rate, times: bigint): Rate {
  return {
    perMillion: moneyOfUnits(perMillion * times),
    steps: steps.map((step) => ({ ...step, perMillion: moneyOfUnits(step.perMillion * times) })),
  };
}

function cents(count: bigint): Money {
  return moneyOfUnits(count * 10n ** 10n);
}
