import type { StoredPrice } from '../model/pricing/stored-price.ts';
import type { Principal } from '../model/principal.ts';
import type { RepricedRequest, RepriceReport } from '../model/record/reprice.ts';
import type { CostExplanation, BilledRequest } from '../model/record/billed-request.ts';
import { type RepricePorts, repriceRequests } from './reprice.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { listOrganizationPrices, replaceOrganizationPrices } from '../metadata/organization/prices.ts';
import type { OrganizationId } from '../model/ids.ts';
import { checkPrices } from '../pricing/check-prices.ts';
import { explainCost, recomputedCost } from '../pricing/explain-cost.ts';
import { type CorePrices, makePricingOf } from '../pricing/held/core-prices.ts';
import { makeSimulatePrice, type SimulatePrice } from '../pricing/held/simulations.ts';
import { recordNameFor } from '../providers/registry.ts';
import type { Store } from '../store/store.ts';
import type { RequestChanges } from '../ingest/changes/request-changes.ts';
import { systemClock } from '../platform/clock.ts';

/** A refused price: its provider is unknown, or the list has it twice. */
export interface PriceRefusal {
  readonly refused: 'provider' | 'twice';
  /** In the list. */
  readonly index: number;
  /** The name of the provider, or of the model. */
  readonly text: string;
}

export interface PricePorts {
  readonly list: (organizationId: OrganizationId) => Promise<readonly StoredPrice[]>;
  /** Durable on return. @returns the prices, with providers named as in records, or the refusal; nothing is changed then. */
  readonly replace: (
    organizationId: OrganizationId,
    prices: readonly StoredPrice[],
  ) => Promise<{ readonly prices: readonly StoredPrice[] } | PriceRefusal>;
  /**
   * Recomputes the costs of stored requests and writes those that differ; durable and visible on return.
   * @param read runs once the work may begin.
   */
  readonly apply: (principal: Principal, read: () => Promise<readonly RepricedRequest[]>, isTrial: boolean) => Promise<RepriceReport>;
  /** Explains the cost of a stored request. @throws GatelogError `metadata_unavailable`. */
  readonly explain: (organizationId: OrganizationId, request: BilledRequest) => CostExplanation;
  readonly simulate: SimulatePrice;
}

export interface RequestCostDependencies {
  readonly database: MetadataDatabase;
  readonly prices: CorePrices;
  readonly store: Pick<Store, 'changeStoredCosts'>;
  readonly changer: Pick<RequestChanges, 'stamp' | 'shared'>;
}

export function makePricePorts({ database, prices, store, changer }: RequestCostDependencies): PricePorts {
  const { stored } = prices;
  const pricingOf = makePricingOf(prices);
  const repricing: RepricePorts = {
    recompute: (organizationId, request) => recomputedCost(request, pricingOf(organizationId, request)),
    changeStoredCosts: store.changeStoredCosts,
    stamp: () => changer.stamp(),
  };
  return {
    list: (organizationId) => listOrganizationPrices(database, organizationId),
    replace: async (organizationId, replacement) => {
      const checked = checkPrices(replacement, recordNameFor);
      if ('refused' in checked) return checked;
      await replaceOrganizationPrices(database, { organizationId, prices: checked.prices, at: systemClock.now() });
      stored.forget(organizationId);
      return checked;
    },
    // An erasure waits for it, and it sees nothing erased.
    apply: (principal, read, isTrial) =>
      changer.shared(principal.organizationId, async () => repriceRequests(repricing, principal, await read(), isTrial)),
    explain: (organizationId, request) => explainCost(request, pricingOf(organizationId, request)),
    simulate: makeSimulatePrice(prices, systemClock.now),
  };
}
