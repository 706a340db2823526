import type { MetadataDatabase } from '../../metadata/database.ts';
import { listRateLimits, replaceRateLimits } from '../../metadata/organization/rate-limits.ts';
import type { ApiPorts } from '../ports.ts';

/** The limits that organisations store. @param now Unix milliseconds. */
export function makeRateLimitPorts(database: MetadataDatabase, now: () => number): Pick<ApiPorts, 'rateLimits'> {
  return {
    rateLimits: {
      list: (organizationId) => listRateLimits(database, organizationId),
      replace: (organizationId, limits) => replaceRateLimits(database, { organizationId, limits, at: now() }),
    },
  };
}
