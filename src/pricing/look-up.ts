import type { RateKind } from '../model/vocabulary/prices.ts';
import { organizationCandidates, type OrganizationPrices } from './organization-prices.ts';
import { ownPrice } from './own-prices.ts';
import type { PriceBook } from './price-book.ts';
import type { Price, Rate } from './price.ts';
import { priceAtTier } from './service-tiers.ts';

/** What calls of one organisation are priced by. */
export interface Prices {
  readonly book: PriceBook;
  readonly organization: OrganizationPrices;
}

/** What a price is looked up by. */
export interface PriceQuery {
  /** The provider's name in records; what an organisation has stored names it so. */
  readonly provider: string;
  /** The provider's name in the price book; undefined: it has none there. */
  readonly providerId: string | undefined;
  /** Names of the model, the one that tells most first. */
  readonly models: readonly string[];
  /** Unix milliseconds: the price that was valid then. */
  readonly at: number;
  /** How the provider says that it served the call; absent or empty: as everyone else. */
  readonly serviceTier?: string;
}

/** The names by which a call's model is priced: the caller's word if there is one, else the one that answered and the one that was asked for. */
export function pricedModels(names: { readonly override: string; readonly response: string; readonly request: string }): readonly string[] {
  return names.override === '' ? [names.response, names.request] : [names.override];
}

/**
 * The prices that may be a call's, the one that goes before the others first: what the organisation has stored for any of the model's names,
 * then what the tables and the book say of them. At Amazon the name that was asked for comes first: it tells the region, by which prices differ, and an answer does not. Nothing when provider or model are unknown, or what the service tier costs. Tools that are
 * billed by the call (web searches) are in none of them.
 */
export function* candidatePrices(query: PriceQuery, { book, organization }: Prices): Generator<Price, void, undefined> {
  const named = query.providerId === 'aws' ? query.models.toReversed() : query.models;
  const models = named.filter((model) => model !== '').flatMap((model) => namesOf(model, query.providerId));
  yield* organizationCandidates(organization, { provider: query.provider, models, at: query.at });
  if (query.providerId === undefined) return;
  const builtIn = builtInPrice(query.providerId, query.at);
  if (builtIn !== undefined) {
    yield builtIn;
    return;
  }
  for (const model of models) {
    const price = listedPrice({ ...query, providerId: query.providerId }, model, book);
    if (price !== undefined) yield price;
  }
}

/** What a provider puts before the names of its models at some of its addresses, and the book does not. */
const namespaces: ReadonlyMap<string | undefined, RegExp> = new Map([['google', /^(?:google\/|models\/|publishers\/google\/models\/)/]]);

/** A model's name as it stands, and as the book has it where that is another one. */
function namesOf(model: string, providerId: string | undefined): readonly string[] {
  const namespace = namespaces.get(providerId)?.exec(model)?.[0];
  return namespace === undefined ? [model] : [model, model.slice(namespace.length)];
}

function builtInPrice(providerId: string, at: number): Price | undefined {
  const own = ownPrice(providerId, at);
  if (own === undefined) return undefined;
  const rates = own.rates.map(([kind, perMillion]): [RateKind, Rate] => [kind, { perMillion, steps: [] }]);
  const { reference, validFrom } = own;
  return { table: 'built-in', reference, validFrom, rates: new Map(rates), isFree: false, contextWindow: undefined };
}

type ListedQuery = PriceQuery & { readonly providerId: string };

function listedPrice({ providerId, at, serviceTier = '' }: ListedQuery, model: string, book: PriceBook): Price | undefined {
  const listed = book.find(providerId, model, at);
  return listed === undefined || serviceTier === '' ? listed : priceAtTier(listed, { providerId, serviceTier, at });
}
