import { moneyText, parseMoney } from '../model/pricing/money.ts';
import { isJsonObject, parseJson } from '../model/text.ts';
import { priceTables, type RateKind, rateKinds } from '../model/vocabulary/prices.ts';
import { type Price, rateFor, type Rate } from './price.ts';

/**
 * A price as it is kept with each record that it was applied to, so that a cost can be explained when the tables have long changed: JSON of
 * `table`, `valid_from`, `free` and `rates`, US dollars per million as decimal text. The steps for long inputs are settled in it. Few different
 * texts stand in very many records.
 */
export function appliedPriceText(price: Price, inputTokens: number): string {
  const known = textsOfPrices.get(price);
  if (known !== undefined) return known;
  const text = settledText(price, inputTokens);
  if (![...price.rates.values()].some(({ steps }) => steps.length > 0)) textsOfPrices.set(price, text);
  return text;
}

/** Of prices that are the same for every length of input. The book gives one and the same object for very many records. */
const textsOfPrices = new WeakMap<Price, string>();

function settledText({ table, validFrom, isFree, rates }: Price, inputTokens: number): string {
  const settled = rateKinds.flatMap((kind): [RateKind, string][] => {
    const rate = rates.get(kind);
    return rate === undefined ? [] : [[kind, shortText(moneyText(rateFor(rate, inputTokens)))]];
  });
  return JSON.stringify({
    table,
    ...(validFrom === '' ? {} : { valid_from: validFrom }),
    ...(isFree ? { free: true } : {}),
    rates: Object.fromEntries<string>(settled),
  });
}

/** The price that {@link appliedPriceText} wrote. @param reference is kept apart from it. @returns undefined for any other text. */
export function readAppliedPrice(text: string, reference: string): Price | undefined {
  const kept = parseJson(text);
  if (!isJsonObject(kept) || !isJsonObject(kept['rates'])) return undefined;
  const { rates: texts, valid_from: validFrom = '' } = kept;
  const table = priceTables.find((name) => name === kept['table']);
  if (table === undefined || typeof validFrom !== 'string') return undefined;
  const rates = new Map<RateKind, Rate>();
  for (const kind of rateKinds) {
    const written = texts[kind];
    const perMillion = typeof written === 'string' ? parseMoney(written) : undefined;
    if (perMillion !== undefined) rates.set(kind, { perMillion, steps: [] });
  }
  return { table, reference, validFrom, rates, isFree: kept['free'] === true, contextWindow: undefined };
}

/** Decimal text without the zeros at its end. */
function shortText(decimal: string): string {
  return decimal.replace(/\.?0+$/, '');
}
