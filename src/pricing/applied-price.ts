import { moneyText, parseMoney } from '../model/pricing/money.ts';
import { isJsonObject, parseJson } from '../model/text.ts';
import { priceTables, type RateKind, rateKinds } from '../model/vocabulary/prices.ts';
import { type Price, rateFor, type Rate } from './tables/price.ts';

/**
 * The price as stored with each record, so that its cost can be explained when the tables have changed: JSON of `table`, `valid_from`,
 * `source`, `free` and `rates` in US dollars per million as decimal text, with the steps for long inputs applied. Many records share few such texts.
 */
export function appliedPriceText(price: Price, inputTokens: number): string {
  const known = textsOfPrices.get(price);
  if (known !== undefined) return known;
  const text = settledText(price, inputTokens);
  if (![...price.rates.values()].some(({ steps }) => steps.length > 0)) textsOfPrices.set(price, text);
  return text;
}

/** Texts of prices without steps. The book returns the same object for many records. */
const textsOfPrices = new WeakMap<Price, string>();

function settledText({ table, source, validFrom, isFree, rates }: Price, inputTokens: number): string {
  const settled = rateKinds.flatMap((kind): [RateKind, string][] => {
    const rate = rates.get(kind);
    return rate === undefined ? [] : [[kind, shortText(moneyText(rateFor(rate, inputTokens)))]];
  });
  return JSON.stringify({
    table,
    ...(validFrom === '' ? {} : { valid_from: validFrom }),
    ...(source === '' ? {} : { source }),
    ...(isFree ? { free: true } : {}),
    rates: Object.fromEntries<string>(settled),
  });
}

/** Reads the price that {@link appliedPriceText} wrote. @param reference is stored separately. @returns undefined for any other text. */
export function readAppliedPrice(text: string, reference: string): Price | undefined {
  const parsed = parseJson(text);
  if (!isJsonObject(parsed) || !isJsonObject(parsed['rates'])) return undefined;
  const { rates: rateTexts, valid_from: validFrom = '', source = '' } = parsed;
  const table = priceTables.find((name) => name === parsed['table']);
  if (table === undefined || typeof validFrom !== 'string' || typeof source !== 'string') return undefined;
  const rates = new Map<RateKind, Rate>();
  for (const kind of rateKinds) {
    const rateText = rateTexts[kind];
    const perMillion = typeof rateText === 'string' ? parseMoney(rateText) : undefined;
    if (perMillion !== undefined) rates.set(kind, { perMillion, steps: [] });
  }
  return { table, reference, source, validFrom, rates, isFree: parsed['free'] === true, contextWindow: undefined };
}

/** Decimal text without trailing zeros. */
function shortText(decimal: string): string {
  return decimal.replace(/\.?0+$/, '');
}
