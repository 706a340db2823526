import { moneyOfUnits } from '../model/money.ts';
import type { Money } from '../model/money.ts';

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

function cents(count: bigint): Money {
  return moneyOfUnits(count * 10n ** 10n);
}
