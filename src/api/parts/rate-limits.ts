import type { OrganizationId } from '../../model/ids.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { listRateLimits, replaceRateLimits, type StoredLimit } from '../../metadata/organization/rate-limits.ts';

export interface RateLimits {
  readonly list: (organizationId: OrganizationId) => Promise<readonly StoredLimit[]>;
  /** Durable on return. @returns an id in the list that is no key of the organisation; nothing is changed then. */
  readonly replace: (
    organizationId: OrganizationId,
    limits: readonly StoredLimit[],
  ) => Promise<{ readonly unknownKey: string } | undefined>;
}

/** The limits that organisations store. @param now Unix milliseconds. */
export function makeRateLimits(database: MetadataDatabase, now: () => number): RateLimits {
  return {
    list: (organizationId) => listRateLimits(database, organizationId),
    replace: (organizationId, limits) => replaceRateLimits(database, { organizationId, limits, at: now() }),
  };
}
