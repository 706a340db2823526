import type { PricePorts, PriceRefusal } from '../../api/ports.ts';
import { type RepricePorts, repriceRequests } from '../../jobs/reprice.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { listOrganizationPrices, replaceOrganizationPrices } from '../../metadata/organization/prices.ts';
import type { BilledRequest } from '../../model/pricing/billed-request.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { StoredPrice } from '../../model/pricing/stored-price.ts';
import { explainCost, type Pricing, recomputedCost } from '../../pricing/explain-cost.ts';
import type { PriceBook } from '../../pricing/price-book.ts';
import { priceProviderOf, recordNameFor } from '../../providers/registry.ts';
import type { ChangeStoredCosts } from '../../store/update/change-costs.ts';
import type { StoredPrices } from './stored-prices.ts';

export interface CorePrices {
  readonly book: PriceBook;
  readonly stored: StoredPrices;
}

export interface RequestCostParts {
  readonly database: MetadataDatabase;
  readonly prices: CorePrices;
  readonly changeStoredCosts: ChangeStoredCosts;
  readonly stamp: RepricePorts['stamp'];
  /** Runs work that changes records of an organisation. An erasure waits for it, and the work sees nothing erased. */
  readonly amongChanges: <Result>(organizationId: OrganizationId, work: () => Promise<Result>) => Promise<Result>;
  readonly now: () => number;
}

export function makePricingOf({ book, stored }: CorePrices) {
  return (organizationId: OrganizationId, { provider }: BilledRequest): Pricing => ({
    providerId: priceProviderOf(provider),
    prices: { book, organization: stored.get(organizationId) },
  });
}

export function makePricePorts({ database, prices, changeStoredCosts, stamp, amongChanges, now }: RequestCostParts): PricePorts {
  const { stored } = prices;
  const pricingOf = makePricingOf(prices);
  const repricing: RepricePorts = {
    recompute: (organizationId, request) => recomputedCost(request, pricingOf(organizationId, request)),
    changeStoredCosts,
    stamp,
  };
  return {
    list: (organizationId) => listOrganizationPrices(database, organizationId),
    replace: async (organizationId, given) => {
      const named = given.map(withRecordName);
      const refused = refusalOf(given, named);
      if (refused !== undefined) return refused;
      await replaceOrganizationPrices(database, { organizationId, prices: named, at: now() });
      stored.forget(organizationId);
      return { prices: named };
    },
    apply: (principal, read, isTrial) =>
      amongChanges(principal.organizationId, async () => repriceRequests(repricing, principal, await read(), isTrial)),
    explain: (organizationId, request) => explainCost(request, pricingOf(organizationId, request)),
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
