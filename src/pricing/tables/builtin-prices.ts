import { moneyOfUnits } from '../../model/pricing/money.ts';
import type { Money } from '../../model/pricing/money.ts';
import type { RateKind } from '../../model/vocabulary/prices.ts';
import { type Rate, scaledRate } from './price.ts';

/** A price that no public list has. */
export interface BuiltinPrice {
  readonly providerId: string;
  readonly reference: string;
  /** Date, UTC; valid until the next row of the same provider. */
  readonly validFrom: string;
  readonly rates: readonly (readonly ['input' | 'cache_read' | 'output', Money])[];
}

/**
 * Our own prices, rows of one provider by ascending date. `echo`, the built-in provider, works without a network; its test prices make
 * costs visible in a first run.
 */
const builtinPrices: readonly BuiltinPrice[] = [
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

/** The own price of a provider for all its models, at a time in Unix milliseconds. */
export function builtinPrice(providerId: string, at: number): BuiltinPrice | undefined {
  return builtinPrices.findLast((price) => price.providerId === providerId && Date.parse(price.validFrom) <= at);
}

/** A rate that the provider publishes and the price book lacks. */
interface MissingRate {
  readonly kind: RateKind;
  /** Matches the name of every model that it is for, in the book or in the request, whoever serves it. */
  readonly models: string;
  /** Date, UTC. */
  readonly validFrom: string;
  /** Dollars per million, or a multiple of another rate of the model. */
  readonly price: { readonly perMillion: Money } | { readonly times: bigint; readonly of: RateKind };
  readonly source: string;
}

const openAiPricing = 'https://platform.openai.com/docs/pricing';

function audio(models: string, validFrom: string, input: bigint, output: bigint): readonly MissingRate[] {
  return [
    { kind: 'input_audio', models, validFrom, price: { perMillion: cents(input * 100n) }, source: openAiPricing },
    { kind: 'output_audio', models, validFrom, price: { perMillion: cents(output * 100n) }, source: openAiPricing },
  ];
}

/** The first of several rows for one rate of a model applies. */
const missingRates: readonly MissingRate[] = [
  {
    kind: 'cache_write_1h',
    models: 'claude',
    validFrom: '2025-05-22',
    price: { times: 2n, of: 'input' },
    source: 'https://platform.claude.com/docs/en/build-with-claude/prompt-caching',
  },
  // The models of before have one price for all writes, as far as their pages say.
  {
    kind: 'cache_write_12h',
    models: 'gpt-6',
    validFrom: '2026-10-26',
    price: { times: 2n, of: 'cache_write' },
    source: 'https://developers.openai.com/api/docs/models/gpt-6.2-sol, read 2026-11-27',
  },
  ...audio('gpt-4o-audio-preview-2024-10-01', '2024-10-17', 100n, 200n),
  ...audio('gpt-4o-audio-preview', '2024-12-17', 40n, 80n),
  ...audio('gpt-4o-mini-audio', '2024-12-17', 10n, 20n),
];

/** A model's rates in a table. */
export interface ListedRates {
  /** Provider and model as the table names them. */
  readonly reference: string;
  /** As requested. */
  readonly model: string;
  readonly rates: ReadonlyMap<RateKind, Rate>;
}

/** The rates of a model, completed by those that its table lacks. */
export function withMissingRates({ reference, model, rates }: ListedRates, at: number): ReadonlyMap<RateKind, Rate> {
  const complete = new Map(rates);
  for (const { kind, models, validFrom, price } of missingRates) {
    if (complete.has(kind) || Date.parse(validFrom) > at || !(reference.includes(models) || model.includes(models))) continue;
    const rate = 'of' in price ? rates.get(price.of) : undefined;
    if ('of' in price && rate !== undefined) complete.set(kind, scaledRate(rate, [price.times, 1n]));
    if ('perMillion' in price) complete.set(kind, { perMillion: price.perMillion, steps: [] });
  }
  return complete;
}

function cents(count: bigint): Money {
  return moneyOfUnits(count * 10n ** 10n);
}
