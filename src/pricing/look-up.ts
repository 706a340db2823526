import type { RateKind } from '../model/vocabulary/prices.ts';
import { organizationCandidates, type OrganizationPrices } from './organization-prices.ts';
import { builtinPrice } from './tables/builtin-prices.ts';
import type { PriceBook } from './price-book.ts';
import { priceInGeo } from './tables/geo.ts';
import { isOperators, type Price, type Rate } from './tables/price.ts';
import { priceAtTier } from './tables/service-tiers.ts';

/** The prices of one organisation. */
export interface Prices {
  readonly book: PriceBook;
  readonly organization: OrganizationPrices;
}

export interface PriceQuery {
  /** The provider's name in records and stored prices. */
  readonly provider: string;
  /** The provider's name in the price book; undefined without one. */
  readonly providerId: string | undefined;
  /** Names of the model, the most specific first. */
  readonly models: readonly string[];
  /** Unix milliseconds: the price valid at that time. */
  readonly at: number;
  /** The service tier that the provider reported; empty: the default. */
  readonly serviceTier?: string;
  /** Where the provider says that the model ran, if that has a price of its own; empty: anywhere. */
  readonly geo?: string;
}

/** The names by which a call's model is priced: the caller's override, else the model of the response, then of the request. */
export function pricedModels(names: { readonly override: string; readonly response: string; readonly request: string }): readonly string[] {
  return names.override === '' ? [names.response, names.request] : [names.override];
}

/**
 * The candidate prices of a call in order of precedence: stored prices for any of the model's names, then the tables, then the books in
 * order of their layers, each for any of the names. At Amazon the requested name comes first, because it contains the region, by which
 * prices differ. Empty when provider, model or the price of the service tier are unknown. Fees by the call (web searches) are not included.
 */
export function* candidatePrices(query: PriceQuery, { book, organization }: Prices): Generator<Price, void, undefined> {
  const named = query.providerId === 'aws' ? query.models.toReversed() : query.models;
  const models = [...new Set(named.filter((model) => model !== '').flatMap((model) => namesOf(model, query.providerId)))];
  yield* organizationCandidates(organization, { provider: query.provider, models, at: query.at });
  const builtIn = query.providerId === undefined ? undefined : builtInPrice(query.providerId, query.at);
  if (builtIn !== undefined) {
    yield builtIn;
    return;
  }
  for (const { model, price: listed } of book.findAll(query.providerId, models, query.at)) {
    const price = asServed(listed, model, query);
    if (price !== undefined) yield price;
  }
}

/** Prefixes of model names at some addresses of a provider that the book omits. */
const namespaces: ReadonlyMap<string | undefined, RegExp> = new Map([['google', /^(?:google\/|models\/|publishers\/google\/models\/)/]]);

/** A model's name, and its name in the book where that differs. */
function namesOf(model: string, providerId: string | undefined): readonly string[] {
  const namespace = namespaces.get(providerId)?.exec(model)?.[0];
  return namespace === undefined ? [model] : [model, model.slice(namespace.length)];
}

function builtInPrice(providerId: string, at: number): Price | undefined {
  const own = builtinPrice(providerId, at);
  if (own === undefined) return undefined;
  const rates = own.rates.map(([kind, perMillion]): [RateKind, Rate] => [kind, { perMillion, steps: [] }]);
  const { reference, validFrom } = own;
  return { table: 'built-in', reference, source: '', validFrom, rates: new Map(rates), isFree: false, contextWindow: undefined };
}

/** A list price at the tier and in the place where the call was served. */
function asServed(listed: Price, model: string, { providerId, at, serviceTier = '', geo = '' }: PriceQuery): Price | undefined {
  if (providerId === undefined) return listed;
  const atTier = serviceTier === '' ? listed : priceAtTier(listed, { providerId, model, serviceTier, at });
  if (atTier === undefined || geo === '') return atTier;
  return priceInGeo(atTier, { providerId, model, geo }) ?? (isOperators(listed) ? atTier : undefined);
}
