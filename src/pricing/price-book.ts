import type { ConditionalPrice, ModelInfo, ModelPrice, PriceCalculation, Provider } from '@pydantic/genai-prices';
import { moneyOfUnits, moneyOfUsd } from '../model/pricing/money.ts';
import type { Money } from '../model/pricing/money.ts';
import type { RateKind } from '../model/vocabulary/prices.ts';
import { withMissingRates } from './tables/builtin-prices.ts';
import type { Price, Rate } from './tables/price.ts';
import { listSource } from './tables/price-list.ts';
import { publicList } from './public-list.ts';

/** A list of model prices. */
export interface PriceBook {
  /** @param at Unix milliseconds. @returns undefined for an unknown provider or model. */
  readonly find: (providerId: string | undefined, model: string, at: number) => Price | undefined;
  /**
   * Every price of a call's model, in order of precedence, each looked up when it is asked for. @param models its names, the most specific
   * first.
   */
  readonly findAll: (providerId: string | undefined, models: readonly string[], at: number) => Iterable<NamedPrice>;
  /** Listed models of a provider that are not outdated. @param providerId its name in the book. */
  readonly modelsOf: (providerId: string | undefined) => readonly string[];
  /** Whether this is the whole name of a listed model, outdated ones included. */
  readonly lists: (providerId: string | undefined, model: string) => boolean;
  /** What the book says of a listed model beside its price. */
  readonly about: (providerId: string | undefined, model: string) => AboutModel;
}

export interface NamedPrice {
  /** By which it was found. */
  readonly model: string;
  readonly price: Price;
}

/** The prices of a book that has one for a name. */
export function* pricesOfNames(
  find: PriceBook['find'],
  providerId: string | undefined,
  models: readonly string[],
  at: number,
): Generator<NamedPrice, void, undefined> {
  for (const model of models) {
    const price = find(providerId, model, at);
    if (price !== undefined) yield { model, price };
  }
}

export interface AboutModel {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/** Our kinds for the book's keys, and the number of its units in a million of ours. Other keys bill counts that usage does not have. */
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
  { key: 'web_searches_kcount', kind: 'web_search', unitsInMillion: [1000n, 1n] },
  { key: 'storage_searches_kcount', kind: 'file_search', unitsInMillion: [1000n, 1n] },
  // A million seconds are 2500/9 hours.
  { key: 'input_audio_hours', kind: 'audio_seconds', unitsInMillion: [2500n, 9n] },
];

/** The data of a book. Plain, because it is sent to a thread. */
export type BookProviders = readonly Provider[];

/** A list in the form of genai-prices that the operator has in a file. */
export interface BookFile {
  readonly providers: BookProviders;
  /** Who says so, and when. */
  readonly source: string;
}

/** A book of a file; by default of the public list in `@pydantic/genai-prices`. */
export function priceBookFrom(file: BookFile | undefined): PriceBook {
  if (file === undefined) {
    return makeBook({ table: 'price-book', source: listSource }, (providerId) => publicList().findProvider({ providerId }));
  }
  const { providers, source } = file;
  const byId = new Map(providers.map((provider) => [provider.id, withFallbacks(provider, providers)]));
  return makeBook({ table: 'prices-file', source }, (providerId) => byId.get(providerId));
}

/** TRICKY: the library looks for models of other providers in its own list, so those of the file are appended to the provider's own. */
function withFallbacks(provider: Provider, providers: readonly Provider[]): Provider {
  const { fallback_model_providers: fallbacks = [], ...own } = provider;
  const others = fallbacks.flatMap((id) => providers.find((other) => other.id === id)?.models ?? []);
  return { ...own, models: [...provider.models, ...others] };
}

/** No model has a longer name; the book matches names against some thousand patterns. */
const maxModelName = 256;
/** Maximum remembered prices and unknown names. */
const maxRemembered = 5000;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

type Stated = Pick<Price, 'table' | 'source'>;
type FindProvider = (providerId: string) => Provider | undefined;

/** A look-up in the book takes longer than all other work on an exchange, so results are remembered. */
function makeBook(stated: Stated, providerOf: FindProvider): PriceBook {
  const remembered = new Map<string, Price | undefined>();
  const find = (providerId: string | undefined, model: string, at: number): Price | undefined => {
    if (providerId === undefined || model.length > maxModelName) return undefined;
    // Prices change with the day, but for a few that depend on the hour.
    const byDay = `${Math.floor(at / dayMs)} ${providerId} ${model}`;
    if (remembered.has(byDay)) return remembered.get(byDay);
    const byMinute = `${Math.floor(at / minuteMs)}m ${providerId} ${model}`;
    if (remembered.has(byMinute)) return remembered.get(byMinute);
    if (remembered.size >= maxRemembered) remembered.clear();
    const found = consultBook(providerOf(providerId), model, at);
    const price = found === undefined ? undefined : priceOf(found, { ...stated, model, at });
    remembered.set(found !== undefined && changesInDay(found.model) ? byMinute : byDay, price);
    return price;
  };
  const listed = new Map<string, ReadonlySet<string>>();
  return {
    find,
    findAll: (...asked) => pricesOfNames(find, ...asked),
    lists: (providerId, model) => {
      const provider = providerId === undefined || model === '' ? undefined : providerOf(providerId);
      if (provider === undefined) return false;
      const names = listed.get(provider.id) ?? new Set(provider.models.map(({ id }) => id));
      listed.set(provider.id, names);
      return names.has(model);
    },
    about: (providerId, model) => {
      const provider = providerId === undefined ? undefined : providerOf(providerId);
      return provider?.models.find(({ id }) => id === model) ?? {};
    },
    modelsOf: (providerId) => {
      const provider = providerId === undefined ? undefined : providerOf(providerId);
      return (provider?.models ?? []).flatMap(({ id, deprecated }) => (deprecated === true ? [] : [id]));
    },
  };
}

function changesInDay({ prices }: ModelInfo): boolean {
  return Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === 'time_of_date');
}

function priceOf(found: PriceCalculation, { table, source, model, at }: Stated & { readonly model: string; readonly at: number }): Price {
  const reference = `${found.provider.id}/${found.model.id}`;
  return {
    table,
    reference,
    source,
    validFrom: validFrom(found),
    rates: withMissingRates({ reference, model, rates: readRates(found.model_price) }, at),
    isFree: Object.keys(found.model_price).length === 0,
    contextWindow: found.model.context_window,
  };
}

/**
 * Asks for the price of zero usage: the library finds model and price, the arithmetic is ours. It never sees counts that it would refuse;
 * a remaining refusal (an invalid time) counts as an unknown price.
 */
function consultBook(provider: Provider | undefined, model: string, at: number): PriceCalculation | undefined {
  if (provider === undefined) return undefined;
  const { calcPrice } = publicList();
  try {
    return calcPrice({}, model, { provider, timestamp: new Date(at) }) ?? undefined;
  } catch {
    return undefined;
  }
}

function validFrom({ model, model_price: price }: PriceCalculation): string {
  const dated: readonly ConditionalPrice[] = Array.isArray(model.prices) ? model.prices : [];
  const constraint = dated.find((entry) => entry.prices === price)?.constraint;
  return constraint?.type === 'start_date' ? constraint.start_date : '';
}

/** The rates of a listed price; other keys bill counts that usage does not have. */
export function readRates(price: ModelPrice): ReadonlyMap<RateKind, Rate> {
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
    .map(({ start, price }) => ({ aboveInputTokens: stepOf(start), perMillion: perMillionOf(price, unitsInMillion) ?? perMillion }));
  return { perMillion, steps };
}

/**
 * TRICKY: for prices above 272,000 tokens the list says 271,999 of some models and 272,000 of others; makers name thousands, which still
 * have the lower price.
 */
function stepOf(start: number): number {
  return start % 1000 === 999 ? start + 1 : start;
}

/** The book's floating-point prices are short decimals, whose shortest text is exactly the listed price. */
function perMillionOf(usd: number, [units, millions]: readonly [bigint, bigint]): Money | undefined {
  const money = moneyOfUsd(usd);
  return money === undefined ? undefined : moneyOfUnits((money * units + millions / 2n) / millions);
}
