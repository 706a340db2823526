import { calcPrice } from '@pydantic/genai-prices';
import type { ConditionalPrice, ModelPrice, PriceCalculation } from '@pydantic/genai-prices';
import { moneyOfUnits, moneyOfUsd } from '../model/money.ts';
import type { Money } from '../model/money.ts';
import { ownPrice, withDerivedRates } from './own-prices.ts';
import type { Price, Rate, RateKind } from './price.ts';
import { priceAtTier } from './service-tiers.ts';

/** What a price is looked up by. */
export interface PriceQuery {
  /** The provider's name in the price book; undefined: it has none there. */
  readonly providerId: string | undefined;
  readonly model: string;
  /** Unix milliseconds: the price that was valid then. */
  readonly at: number;
  /** How the provider says that it served the call; absent or empty: as everyone else. */
  readonly serviceTier?: string;
}

/** Longer names are no model's; the book matches names against some thousand patterns. */
const longestModelName = 256;

/** What the book's keys mean here: which kind, and how many of its unit are a million of ours. Other keys bill what usage does not count. */
const bookKeys: readonly { readonly key: string; readonly kind: RateKind; readonly unitsInMillion: readonly [bigint, bigint] }[] = [
  { key: 'input_mtok', kind: 'input', unitsInMillion: [1n, 1n] },
  { key: 'cache_read_mtok', kind: 'cache_read', unitsInMillion: [1n, 1n] },
  { key: 'cache_audio_read_mtok', kind: 'cache_read_audio', unitsInMillion: [1n, 1n] },
  { key: 'cache_write_mtok', kind: 'cache_write', unitsInMillion: [1n, 1n] },
  { key: 'cache_write_1h_mtok', kind: 'cache_write_1h', unitsInMillion: [1n, 1n] },
  { key: 'input_audio_mtok', kind: 'input_audio', unitsInMillion: [1n, 1n] },
  { key: 'input_image_mtok', kind: 'input_image', unitsInMillion: [1n, 1n] },
  { key: 'output_mtok', kind: 'output', unitsInMillion: [1n, 1n] },
  { key: 'output_audio_mtok', kind: 'output_audio', unitsInMillion: [1n, 1n] },
  { key: 'output_image_mtok', kind: 'output_image', unitsInMillion: [1n, 1n] },
  { key: 'output_reasoning_mtok', kind: 'reasoning', unitsInMillion: [1n, 1n] },
  { key: 'requests_kcount', kind: 'request', unitsInMillion: [1000n, 1n] },
  // A million seconds are 2500/9 hours.
  { key: 'input_audio_hours', kind: 'audio_seconds', unitsInMillion: [2500n, 9n] },
];

/**
 * Finds the price of a model at a time: in our own table, else in the data that `@pydantic/genai-prices` carries, changed as our table of
 * service tiers says. Tools billed by the call (web searches) are in neither.
 * @returns undefined when provider or model are unknown, or what the tier costs.
 */
export function lookUpPrice(query: PriceQuery): Price | undefined {
  const { providerId, model, at, serviceTier = '' } = query;
  if (providerId === undefined || model.length > longestModelName) return undefined;
  const own = ownPrice(providerId, at);
  if (own !== undefined) {
    const rates = own.rates.map(([kind, perMillion]): [RateKind, Rate] => [kind, { perMillion, steps: [] }]);
    return { reference: own.reference, validFrom: own.validFrom, rates: new Map(rates), isFree: false, contextWindow: undefined };
  }
  const listed = rememberedPrice(providerId, model, at);
  return listed === undefined || serviceTier === '' ? listed : priceAtTier(listed, { providerId, serviceTier, at });
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
  const reference = `${found.provider.id}/${found.model.id}`;
  return {
    reference,
    validFrom: validFrom(found),
    rates: withDerivedRates(reference, readRates(found.model_price), at),
    isFree: Object.keys(found.model_price).length === 0,
    contextWindow: found.model.context_window,
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

function readRate(listed: ModelPrice[string], unitsInMillion: readonly [bigint, bigint]): Rate | undefined {
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
function perMillionOf(usd: number, [units, millions]: readonly [bigint, bigint]): Money | undefined {
  const money = moneyOfUsd(usd);
  return money === undefined ? undefined : moneyOfUnits((money * units + millions / 2n) / millions);
}
