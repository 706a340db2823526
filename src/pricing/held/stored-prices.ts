import type { OrganizationId } from '../../model/ids.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { StoredPrice } from '../../model/pricing/stored-price.ts';
import { StaleCache } from '../../platform/stale-cache.ts';
import { noOrganizationPrices, type OrganizationPrices, readOrganizationPrices } from '../organization-prices.ts';

export interface StoredPricesOptions {
  /** The stored prices of an organisation. Throws when they cannot be read. */
  readonly lookUp: (organizationId: OrganizationId) => readonly StoredPrice[];
  readonly monotonic: () => number;
  readonly observe: Observe;
}

/** The prices that organisations have stored, cached for two seconds; while they cannot be read the last ones known hold. */
export type StoredPrices = StaleCache<OrganizationId, OrganizationPrices>;

/** `get` throws GatelogError `metadata_unavailable` when prices cannot be read and none are known. */
export function makeStoredPrices({ lookUp, monotonic, observe }: StoredPricesOptions): StoredPrices {
  return new StaleCache({
    read: (organizationId) => {
      const stored = lookUp(organizationId);
      return stored.length === 0 ? noOrganizationPrices : readOrganizationPrices(stored);
    },
    monotonic,
    freshMs: 2000,
    staleMaxMs: Number.POSITIVE_INFINITY,
    onFailure: (error) => {
      observe({ kind: 'prices_failed', reason: messageOf(error) });
      return new GatelogError('metadata_unavailable', 'The prices of the organisation cannot be read at the moment; try again shortly.', {
        cause: error,
      });
    },
  });
}
