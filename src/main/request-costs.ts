import type { PricePorts, PriceRefusal } from '../api/ports.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { listOrganizationPrices, replaceOrganizationPrices } from '../metadata/organization-prices.ts';
import type { StoredPrice } from '../model/stored-price.ts';
import { explainCost } from '../pricing/explain-cost.ts';
import type { PriceBook } from '../pricing/price-book.ts';
import { priceProviderOf, recordNameFor } from '../providers/registry.ts';
import type { StoredPrices } from './stored-prices.ts';

/** What the core prices by. */
export interface CorePrices {
  readonly book: PriceBook;
  readonly stored: StoredPrices;
}

/** What the API asks about prices and costs. @param now Unix milliseconds. */
export function makePricePorts(database: MetadataDatabase, { book, stored }: CorePrices, now: () => number): PricePorts {
  return {
    list: (organizationId) => listOrganizationPrices(database, organizationId),
    replace: async (organizationId, given) => {
      const prices = given.map(withRecordName);
      const refused = refusalOf(given, prices);
      if (refused !== undefined) return refused;
      await replaceOrganizationPrices(database, { organizationId, prices, at: now() });
      stored.forget(organizationId);
      return { prices };
    },
    explain: (organizationId, request) =>
      explainCost(request, { providerId: priceProviderOf(request.provider), prices: { book, organization: stored.of(organizationId) } }),
  };
}

function withRecordName(price: StoredPrice): StoredPrice {
  return price.provider === null ? price : { ...price, provider: recordNameFor(price.provider) ?? '' };
}

function refusalOf(given: readonly StoredPrice[], prices: readonly StoredPrice[]): PriceRefusal | undefined {
  const unknown = prices.findIndex(({ provider }) => provider === '');
  if (unknown !== -1) return { refused: 'provider', index: unknown, text: given[unknown]?.provider ?? '' };
  const seen = new Set<string>();
  for (const [index, { model, provider, validFrom }] of prices.entries()) {
    const key = JSON.stringify([model, provider, validFrom]);
    if (seen.has(key)) return { refused: 'twice', index, text: model };
    seen.add(key);
  }
  return undefined;
}
