import { GatelogError, messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { StaleCache } from '../platform/stale-cache.ts';
import type { Principal } from '../model/principal.ts';

export interface KeyVerifierOptions {
  /** Finds the principal of a key that is not revoked, by the key's hash. */
  readonly lookUp: (keyHash: string) => Principal | undefined | Promise<Principal | undefined>;
  readonly monotonic: () => number;
  /** How long after its last successful check a key stays good while look-ups fail, in milliseconds. */
  readonly staleMaxMs: number;
  readonly observe?: Observe;
}

/** Verifies keys through a bounded cache of hashes; it never sees a key. */
export class KeyVerifier {
  /** A revocation must take effect within 5 s; the rest is for the look-up itself. */
  private readonly accepted: StaleCache<string, Principal | undefined, Principal | undefined | Promise<Principal | undefined>>;
  /** A separate cache, so that a flood of invented keys cannot evict valid ones. A new key works within a second of its creation. */
  private readonly unknown: StaleCache<string, true | undefined>;

  constructor({ lookUp, monotonic, staleMaxMs, observe }: KeyVerifierOptions) {
    this.unknown = new StaleCache({ read: () => undefined, monotonic, freshMs: 1000, keeps: (isUnknown) => isUnknown === true });
    this.accepted = new StaleCache({
      read: lookUp,
      monotonic,
      freshMs: 2000,
      staleMaxMs,
      keeps: (principal) => principal !== undefined,
      onFailure: (error) => {
        observe?.({ kind: 'key_lookup_failed', reason: messageOf(error) });
        return new GatelogError('metadata_unavailable', 'Keys cannot be checked at the moment; try again shortly.', { cause: error });
      },
    });
  }

  /**
   * Finds the principal of a key by its hash; undefined for a key that does not exist or was revoked. Returns no promise when the cache
   * knows it or `lookUp` is synchronous. @throws GatelogError `metadata_unavailable`, thrown or as a rejection, when `lookUp` fails and the
   * key was not checked lately.
   */
  verify(keyHash: string): Principal | undefined | Promise<Principal | undefined> {
    if (this.unknown.get(keyHash) === true) return undefined;
    const found = this.accepted.get(keyHash);
    return found instanceof Promise ? found.then((principal) => this.remember(keyHash, principal)) : this.remember(keyHash, found);
  }

  private remember(keyHash: string, principal: Principal | undefined): Principal | undefined {
    if (principal === undefined) this.unknown.set(keyHash, true);
    return principal;
  }
}
