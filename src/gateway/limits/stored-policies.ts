import type { OrganizationId } from '../../model/ids.ts';
import { type LimitPolicy, parseLimitPolicy } from '../../model/limit-policy.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { StoredLimit } from '../../metadata/organization/rate-limits.ts';

export interface StoredLimitsOptions {
  /** What an organisation has stored. Throws when that cannot be read. */
  readonly lookUp: (organizationId: OrganizationId) => readonly StoredLimit[];
  /** Milliseconds of a clock that never steps back. */
  readonly monotonic: () => number;
  readonly observe: Observe;
}

/** A change must be seen within 5 s, as that of a key. */
const freshMs = 2000;
const maxOrganizations = 10_000;

interface Entry {
  readonly policies: readonly LimitPolicy[];
  /** Some hold for one key only. */
  readonly byKey: boolean;
  readonly freshUntil: number;
}

const none: readonly LimitPolicy[] = [];

/** The limits that organisations have stored, cached. Most have none, and then a call costs one look into a map. */
export class StoredLimits {
  private readonly options: StoredLimitsOptions;
  private readonly cache = new Map<OrganizationId, Entry>();

  constructor(options: StoredLimitsOptions) {
    this.options = options;
  }

  /**
   * The policies that hold for a key. While they cannot be read the last ones known hold.
   * @throws GatelogError `metadata_unavailable` when none are known.
   */
  policiesFor(organizationId: OrganizationId, keyId: string): readonly LimitPolicy[] {
    const { policies, byKey } = this.entryOf(organizationId);
    return byKey ? policies.filter((policy) => policy.keyId === undefined || policy.keyId === keyId) : policies;
  }

  private entryOf(organizationId: OrganizationId): Entry {
    const now = this.options.monotonic();
    const known = this.cache.get(organizationId);
    if (known !== undefined && now < known.freshUntil) return known;
    const entry = this.read(organizationId, known, now + freshMs);
    if (this.cache.size >= maxOrganizations) this.cache.clear();
    this.cache.set(organizationId, entry);
    return entry;
  }

  private read(organizationId: OrganizationId, known: Entry | undefined, freshUntil: number): Entry {
    const { lookUp, observe } = this.options;
    try {
      const policies = lookUp(organizationId).map(policyOf);
      return { policies: policies.length === 0 ? none : policies, byKey: policies.some(({ keyId }) => keyId !== undefined), freshUntil };
    } catch (error) {
      observe({ kind: 'limits_failed', reason: messageOf(error) });
      if (known !== undefined) return { ...known, freshUntil };
      throw new GatelogError('metadata_unavailable', 'The limits of the organisation cannot be read at the moment; try again shortly.', {
        cause: error,
      });
    }
  }
}

function policyOf({ policy, keyId }: StoredLimit): LimitPolicy {
  const parsed = parseLimitPolicy(policy);
  return keyId === null ? parsed : { ...parsed, keyId };
}
