import type { OrganizationId } from '../../model/ids.ts';
import { type LimitPolicy, parseLimitPolicy } from '../../model/limit-policy.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { StoredLimit } from '../../metadata/organization/rate-limits.ts';
import { StaleCache } from '../../platform/stale-cache.ts';

export interface StoredLimitsOptions {
  /** The stored limits of an organisation. Throws when they cannot be read. */
  readonly lookUp: (organizationId: OrganizationId) => readonly StoredLimit[];
  /** Milliseconds of a clock that never steps back. */
  readonly monotonic: () => number;
  readonly observe: Observe;
}

interface Policies {
  readonly policies: readonly LimitPolicy[];
  readonly hasKeyPolicies: boolean;
}

const none: Policies = { policies: [], hasKeyPolicies: false };

/** The limits that organisations have stored, cached for two seconds. */
export class StoredLimits {
  private readonly cache: StaleCache<OrganizationId, Policies>;

  constructor({ lookUp, monotonic, observe }: StoredLimitsOptions) {
    this.cache = new StaleCache({
      read: (organizationId) => policiesOf(lookUp(organizationId)),
      monotonic,
      freshMs: 2000,
      staleMaxMs: Number.POSITIVE_INFINITY,
      onFailure: (error) => {
        observe({ kind: 'limits_failed', reason: messageOf(error) });
        return new GatelogError('metadata_unavailable', 'The limits of the organisation cannot be read at the moment; try again shortly.', {
          cause: error,
        });
      },
    });
  }

  /**
   * The policies that hold for a key. While they cannot be read the last ones known hold.
   * @throws GatelogError `metadata_unavailable` when none are known.
   */
  policiesFor(organizationId: OrganizationId, keyId: string): readonly LimitPolicy[] {
    const { policies, hasKeyPolicies } = this.cache.get(organizationId);
    return hasKeyPolicies ? policies.filter((policy) => policy.keyId === undefined || policy.keyId === keyId) : policies;
  }
}

function policiesOf(stored: readonly StoredLimit[]): Policies {
  if (stored.length === 0) return none;
  const policies = stored.map(({ policy, value, keyId, rule }): LimitPolicy => {
    const parsed = parseLimitPolicy(policy);
    return {
      ...parsed,
      ...(value === undefined ? {} : { value }),
      ...(keyId === null ? {} : { keyId }),
      ...(rule === undefined ? {} : { ruleName: rule.name }),
    };
  });
  return { policies, hasKeyPolicies: policies.some(({ keyId }) => keyId !== undefined) };
}
