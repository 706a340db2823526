import { moneyOfUsd, zeroMoney } from '../../model/pricing/money.ts';
import { type PriceTable, type RateKind, rateKinds } from '../../model/vocabulary/prices.ts';
import { withMissingRates } from '../tables/builtin-prices.ts';
import type { Price, Rate } from '../tables/price.ts';
import { type PriceBook, pricesOfNames } from '../price-book.ts';
import { type PriceLine, undatedName } from '../../model/pricing/price-line.ts';

interface DatedPrice {
  readonly model: string;
  readonly provider: string | null;
  /** Unix milliseconds. */
  readonly from: number;
  /** Computed once it is asked for: a start needs none of hundreds. */
  readonly price: () => Price;
}

/** A book of price lines. A whole name precedes a prefix, a longer prefix a shorter one, one provider any, and then the latest date counts. */
export function bookOfLines(table: PriceTable, lines: readonly PriceLine[]): PriceBook {
  const dated = lines.map((line) => datedPrice(table, line)).toSorted(byPrecedence);
  const byName = new Map<string, DatedPrice[]>();
  for (const row of dated) {
    if (row.model.endsWith('*')) continue;
    const named = byName.get(row.model);
    if (named === undefined) byName.set(row.model, [row]);
    else named.push(row);
  }
  const prefixes = dated.filter(({ model }) => model.endsWith('*'));
  const find = (providerId: string | undefined, model: string, at: number): Price | undefined => {
    const holds = ({ provider, from }: DatedPrice): boolean => from <= at && (provider === null || provider === providerId);
    const named = byName.get(model)?.find(holds) ?? byName.get(undatedName(model))?.find(holds);
    return (named ?? prefixes.find((row) => holds(row) && model.startsWith(row.model.slice(0, -1))))?.price();
  };
  return {
    find,
    findAll: (...asked) => pricesOfNames(find, ...asked),
    modelsOf: (providerId) =>
      providerId === undefined
        ? []
        : [...byName].flatMap(([model, rows]) => (rows.some(({ provider }) => provider === providerId) ? [model] : [])),
    lists: (providerId, model) => byName.get(model)?.some(({ provider }) => provider === null || provider === providerId) === true,
    about: () => ({}),
  };
}

function byPrecedence(one: DatedPrice, other: DatedPrice): number {
  return (
    other.model.length - one.model.length ||
    Number(one.provider === null) - Number(other.provider === null) ||
    // TRICKY: two prices without a date would differ by NaN.
    Number(other.from > one.from) - Number(one.from > other.from)
  );
}

function datedPrice(table: PriceTable, line: PriceLine): DatedPrice {
  const { model, provider, validFrom } = line;
  let price: Price | undefined;
  return {
    model,
    provider,
    from: validFrom === null ? -Infinity : Date.parse(validFrom),
    price: () => (price ??= priceOf(table, line)),
  };
}

function priceOf(table: PriceTable, line: PriceLine): Price {
  const { model, provider, validFrom, source, contextWindow } = line;
  const reference = `${provider ?? '*'}/${model}`;
  const rates = rateKinds.flatMap((kind): [RateKind, Rate][] => {
    const rate = rateOf(line, kind);
    return rate === undefined ? [] : [[kind, rate]];
  });
  return {
    table,
    reference,
    source,
    validFrom: validFrom ?? '',
    rates: withMissingRates({ reference, model, rates: new Map(rates) }, Infinity),
    isFree: false,
    contextWindow,
  };
}

function rateOf({ rates, above = [] }: PriceLine, kind: RateKind): Rate | undefined {
  const usd = rates[kind];
  if (usd === undefined) return undefined;
  const steps = above.flatMap(({ inputTokens, rates: stepRates }) => {
    const stepUsd = stepRates[kind];
    return stepUsd === undefined ? [] : [{ aboveInputTokens: inputTokens, perMillion: moneyOfUsd(stepUsd) ?? zeroMoney }];
  });
  return { perMillion: moneyOfUsd(usd) ?? zeroMoney, steps };
}
