import { GatelogError, messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import type { Principal } from '../model/principal.ts';

/** A key's principal; `unknown` for a key that does not exist or was revoked. */
export type Verdict = Principal | 'unknown';

export interface KeyVerifierOptions {
  /** Finds the principal of a key that is not revoked, by the key's hash. */
  readonly lookUp: (keyHash: string) => Principal | undefined | Promise<Principal | undefined>;
  /** Milliseconds of a clock that never steps back, so that a corrected system clock cannot prolong a revoked key. */
  readonly monotonic: () => number;
  /** How long after its last successful check a key stays good while look-ups fail, in milliseconds. */
  readonly staleMaxMs: number;
  readonly observe?: Observe;
}

/** Revocation must be seen within 5 s; the rest of them is for the look-up itself. */
const freshMs = 2000;
/** A key that was just created must work soon, even when it was tried too early. */
const unknownMs = 1000;
/** For each of two caches: a flood of invented keys cannot push out the good ones. */
const capacity = 10_000;

interface Accepted {
  readonly principal: Principal;
  /** When the database last said so. */
  readonly checkedAt: number;
  /** When it is looked up again. */
  readonly freshUntil: number;
}

/** Verifies keys with a bounded cache that is keyed by hash; no key itself comes here. */
export class KeyVerifier {
  readonly #options: KeyVerifierOptions;
  readonly #accepted = new Map<string, Accepted>();
  /** By hash: until when a key counts as unknown without a look-up. */
  readonly #unknown = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<Verdict>>();

  constructor(options: KeyVerifierOptions) {
    this.#options = options;
  }

  /**
   * Checks a key by its hash. Answers at once, without a promise, when the cache knows it or `lookUp` is synchronous.
   * @throws GatelogError `metadata_unavailable`, thrown or as a rejection, when `lookUp` fails and the key was not checked lately.
   */
  verify(keyHash: string): Verdict | Promise<Verdict> {
    const now = this.#options.monotonic();
    const known = this.#accepted.get(keyHash);
    if (known !== undefined && now < known.freshUntil) return known.principal;
    const unknownUntil = this.#unknown.get(keyHash);
    if (unknownUntil !== undefined && now < unknownUntil) return 'unknown';
    return this.#underWay.get(keyHash) ?? this.#lookUp(keyHash);
  }

  #lookUp(keyHash: string): Verdict | Promise<Verdict> {
    let found: ReturnType<KeyVerifierOptions['lookUp']>;
    try {
      found = this.#options.lookUp(keyHash);
    } catch (error) {
      return this.#settleFailure(keyHash, error);
    }
    if (!(found instanceof Promise)) return this.#settle(keyHash, found);
    const verdict = this.#settleLater(keyHash, found);
    this.#underWay.set(keyHash, verdict);
    return verdict;
  }

  async #settleLater(keyHash: string, found: Promise<Principal | undefined>): Promise<Verdict> {
    try {
      return this.#settle(keyHash, await found);
    } catch (error) {
      return this.#settleFailure(keyHash, error);
    } finally {
      this.#underWay.delete(keyHash);
    }
  }

  #settle(keyHash: string, principal: Principal | undefined): Verdict {
    const now = this.#options.monotonic();
    if (principal === undefined) {
      this.#accepted.delete(keyHash);
      putNewest(this.#unknown, keyHash, now + unknownMs);
      return 'unknown';
    }
    this.#unknown.delete(keyHash);
    putNewest(this.#accepted, keyHash, { principal, checkedAt: now, freshUntil: now + freshMs });
    return principal;
  }

  #settleFailure(keyHash: string, error: unknown): Verdict {
    this.#options.observe?.({ kind: 'key_lookup_failed', reason: messageOf(error) });
    const now = this.#options.monotonic();
    const known = this.#accepted.get(keyHash);
    const goodUntil = (known?.checkedAt ?? Number.NEGATIVE_INFINITY) + this.#options.staleMaxMs;
    if (known === undefined || now > goodUntil) {
      throw new GatelogError('metadata_unavailable', 'Keys cannot be checked at the moment; try again shortly.', { cause: error });
    }
    putNewest(this.#accepted, keyHash, { ...known, freshUntil: Math.min(now + freshMs, goodUntil) });
    return known.principal;
  }
}

/** Puts an entry last and drops the first when there are too many: what is in use comes back to the end at every check. */
function putNewest<T>(cache: Map<string, T>, keyHash: string, entry: T): void {
  cache.delete(keyHash);
  cache.set(keyHash, entry);
  if (cache.size <= capacity) return;
  const oldest = cache.keys().next();
  if (oldest.done !== true) cache.delete(oldest.value);
}
