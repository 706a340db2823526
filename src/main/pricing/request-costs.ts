import type { PricePorts } from '../../api/ports.ts';
import { type RepricePorts, repriceRequests } from '../../jobs/reprice.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { listOrganizationPrices, replaceOrganizationPrices } from '../../metadata/organization/prices.ts';
import type { BilledRequest } from '../../model/pricing/billed-request.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { checkPrices } from '../../pricing/check-prices.ts';
import { explainCost, type Pricing, recomputedCost } from '../../pricing/explain-cost.ts';
import type { PriceBook } from '../../pricing/price-book.ts';
import { priceProviderOf, recordNameFor } from '../../providers/registry.ts';
import type { ChangeStoredCosts } from '../../store/update/change-costs.ts';
import type { HeldImport } from './imported-prices.ts';
import type { StoredPrices } from './stored-prices.ts';

export interface CorePrices {
  readonly book: PriceBook;
  readonly stored: StoredPrices;
}

/** With what the operator has imported, which is in the book. */
export interface AllCorePrices extends CorePrices {
  readonly imported: HeldImport;
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
    replace: async (organizationId, replacement) => {
      const checked = checkPrices(replacement, recordNameFor);
      if ('refused' in checked) return checked;
      await replaceOrganizationPrices(database, { organizationId, prices: checked.prices, at: now() });
      stored.forget(organizationId);
      return checked;
    },
    apply: (principal, read, isTrial) =>
      amongChanges(principal.organizationId, async () => repriceRequests(repricing, principal, await read(), isTrial)),
    explain: (organizationId, request) => explainCost(request, pricingOf(organizationId, request)),
  };
}
