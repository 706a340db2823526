import { calcPrice } from '@pydantic/genai-prices';
import type { ConditionalPrice, ModelPrice, PriceCalculation } from '@pydantic/genai-prices';
import { moneyOfUnits, moneyOfUsd } from '../model/money.ts';
import type { Money } from '../model/money.ts';
import { ownPrice } from './own-prices.ts';

/** What is billed apart. `request` is a fee per call, everything else is a kind of token. */
export type RateKind = 'input' | 'cache_read' | 'cache_write' | 'input_audio' | 'output' | 'output_audio' | 'reasoning' | 'request';

/** A price per million, and what it becomes for all tokens of a call whose input is longer than a step; steps in rising order. */
export interface Rate {
  readonly perMillion: Money;
  readonly steps: readonly { readonly aboveInputTokens: number; readonly perMillion: Money }[];
}

/** What one model costs at one time. */
export interface Price {
  /** Provider and model as the price book names them, such as `openai/gpt-4o`. */
  readonly reference: string;
  /** Date (`2025-06-10`, UTC) from which it holds; empty when the book gives none. */
  readonly validFrom: string;
  /** A kind without a rate is billed with the kind that it is a part of. */
  readonly rates: ReadonlyMap<RateKind, Rate>;
  /** The book lists the model and asks nothing for it. */
  readonly isFree: boolean;
}

export interface PriceQuery {
  /** The provider's name in the price book; undefined: it has none there. */
  readonly providerId: string | undefined;
  readonly model: string;
  /** Unix milliseconds: the price that was valid then. */
  readonly at: number;
}

/** Longer names are no model's; the book matches names against some thousand patterns. */
const longestModelName = 256;

/** What the book's keys mean here: which kind, and how many of its unit are a million. Other keys bill what usage does not count. */
const bookKeys: readonly { readonly key: string; readonly kind: RateKind; readonly unitsInMillion: bigint }[] = [
  { key: 'input_mtok', kind: 'input', unitsInMillion: 1n },
  { key: 'cache_read_mtok', kind: 'cache_read', unitsInMillion: 1n },
  { key: 'cache_write_mtok', kind: 'cache_write', unitsInMillion: 1n },
  { key: 'input_audio_mtok', kind: 'input_audio', unitsInMillion: 1n },
  { key: 'output_mtok', kind: 'output', unitsInMillion: 1n },
  { key: 'output_audio_mtok', kind: 'output_audio', unitsInMillion: 1n },
  { key: 'output_reasoning_mtok', kind: 'reasoning', unitsInMillion: 1n },
  { key: 'requests_kcount', kind: 'request', unitsInMillion: 1000n },
];

/**
 * Finds the list price of a model at a time: in our own table, else in the data that `@pydantic/genai-prices` carries. Service tiers, batch
 * discounts and tools billed by the call (web searches) are not in it.
 * @returns undefined when provider or model are unknown.
 */
export function lookUpPrice(query: PriceQuery): Price | undefined {
  const { providerId, model, at } = query;
  if (providerId === undefined || model.length > longestModelName) return undefined;
  const own = ownPrice(providerId, at);
  if (own !== undefined) {
    const rates = own.rates.map(([kind, perMillion]): [RateKind, Rate] => [kind, { perMillion, steps: [] }]);
    return { reference: own.reference, validFrom: own.validFrom, rates: new Map(rates), isFree: false };
  }
  return rememberedPrice(providerId, model, at);
}

/** Most listed prices, and unknown names, that are remembered. */
const mostRemembered = 1000;
const minuteMs = 60_000;
const remembered = new Map<string, Price | undefined>();

/** The book takes longer to look through than everything else about an exchange. Its prices change on the minute at the earliest. */
function rememberedPrice(providerId: string, model: string, at: number): Price | undefined {
  const key = `${Math.floor(at / minuteMs)} ${providerId} ${model}`;
  if (remembered.has(key)) return remembered.get(key);
  if (remembered.size >= mostRemembered) remembered.clear();
  const price = listedPrice(providerId, model, at);
  remembered.set(key, price);
  return price;
}

function listedPrice(providerId: string, model: string, at: number): Price | undefined {
  const found = consultBook(providerId, model, at);
  if (found === undefined) return undefined;
  return {
    reference: `${found.provider.id}/${found.model.id}`,
    validFrom: validFrom(found),
    rates: readRates(found.model_price),
    isFree: Object.keys(found.model_price).length === 0,
  };
}

/**
 * Asks for the price of nothing: the library finds model and price, the arithmetic is ours. So it never meets counts it would refuse, and
 * what it still refuses (a time that is none) is a price we do not know.
 */
function consultBook(providerId: string, model: string, at: number): PriceCalculation | undefined {
  try {
    return calcPrice({}, model, { providerId, timestamp: new Date(at) }) ?? undefined;
  } catch {
    return undefined;
  }
}

function validFrom({ model, model_price: price }: PriceCalculation): string {
  const dated: readonly ConditionalPrice[] = Array.isArray(model.prices) ? model.prices : [];
  const constraint = dated.find((entry) => entry.prices === price)?.constraint;
  return constraint?.type === 'start_date' ? constraint.start_date : '';
}

function readRates(price: ModelPrice): ReadonlyMap<RateKind, Rate> {
  const rates = new Map<RateKind, Rate>();
  for (const { key, kind, unitsInMillion } of bookKeys) {
    const rate = readRate(price[key], unitsInMillion);
    if (rate !== undefined) rates.set(kind, rate);
  }
  return rates;
}

function readRate(listed: ModelPrice[string], unitsInMillion: bigint): Rate | undefined {
  if (listed === undefined) return undefined;
  const { base, tiers } = typeof listed === 'number' ? { base: listed, tiers: [] } : listed;
  const perMillion = perMillionOf(base, unitsInMillion);
  if (perMillion === undefined) return undefined;
  const steps = tiers
    .toSorted((left, right) => left.start - right.start)
    .map(({ start, price }) => ({ aboveInputTokens: start, perMillion: perMillionOf(price, unitsInMillion) ?? perMillion }));
  return { perMillion, steps };
}

/** The book's floating-point prices are short decimals, whose shortest text is the listed price exactly. */
function perMillionOf(usd: number, unitsInMillion: bigint): Money | undefined {
  const money = moneyOfUsd(usd);
  return money === undefined ? undefined : moneyOfUnits(money * unitsInMillion);
}
