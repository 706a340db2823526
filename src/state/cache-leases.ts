import type { Database } from 'lmdb';
import type { CachedResponses, CacheKey, Lookup } from './cached-responses.ts';
import type { LmdbEnvironment } from './lmdb.ts';

/** A call is on its way to fill this place of the cache. */
interface Lease {
  readonly owner: string;
  /** Unix milliseconds. Its owner renews it while it lives. */
  readonly expiresAt: number;
  /** Until then another call waits for the reply, Unix milliseconds; whoever waits says so again and again. */
  readonly awaitedUntil: number;
}

/** A turn came to nothing while others waited for its reply. */
interface Failure {
  readonly owner: string;
  readonly expiresAt: number;
}

type PlaceKey = string[];

/** A place that one call was given to fill. */
export interface BucketLease {
  readonly key: CacheKey;
  readonly place: number;
  readonly owner: string;
}

/** What a call that asks is told: here is a reply; it is your turn to fetch one; or others are at it. */
export type TurnAnswer = Extract<Lookup, { hit: unknown }> | { readonly held: BucketLease } | 'wait';

/** A lease that its owner does not renew expires after this, milliseconds. */
export const leaseMs = 5000;
/** A note that a call waits is renewed when it is valid for no longer than this, milliseconds. */
const awaitAgainMs = leaseMs - 1000;

/**
 * Leases on the buckets of the cache: one call at a time fetches the response for a bucket, over all workers of a machine.
 * Invariant: a turn is given in the transaction that sees that no reply is there, so a reply that was kept meanwhile is found and not fetched again.
 */
export class CacheLeases {
  private readonly environment: LmdbEnvironment;
  private readonly responses: CachedResponses;
  private readonly leases: Database<Lease, PlaceKey>;
  private readonly failures: Database<Failure, PlaceKey>;

  constructor(environment: LmdbEnvironment, responses: CachedResponses, now: number) {
    this.environment = environment;
    this.responses = responses;
    this.leases = environment.table<Lease, PlaceKey>('leases');
    this.failures = environment.table<Failure, PlaceKey>('failures');
    this.sweep(now);
  }

  /** @param now Unix milliseconds. */
  ask(key: CacheKey, owner: string, now: number, maxAgeMs: number): TurnAnswer {
    const found = this.responses.find(key, now, maxAgeMs);
    if ('hit' in found) return found;
    if (this.allTaken(key, found.freePlaces, now)) return 'wait';
    return this.environment.write(() => {
      const latest = this.responses.find(key, now, maxAgeMs);
      if ('hit' in latest) return latest;
      const place = latest.freePlaces.find((free) => !this.isTaken(leaseOf(key, free), now));
      if (place === undefined) return 'wait';
      this.leases.putSync(leaseOf(key, place), { owner, expiresAt: now + leaseMs, awaitedUntil: 0 });
      return { held: { key, place, owner } };
    });
  }

  /** Tells those who have the turns of a key that somebody waits for them, for as long as a turn lasts. */
  await(key: CacheKey, now: number): void {
    const unaware = placesOf(key).filter((at) => {
      const lease = this.leases.get(at);
      return lease !== undefined && !(lease.awaitedUntil >= now + awaitAgainMs && runs(lease.awaitedUntil, now));
    });
    if (unaware.length === 0) return;
    this.environment.write(() => {
      for (const at of unaware) this.change(at, (lease) => ({ ...lease, awaitedUntil: now + leaseMs }));
    });
  }

  isAwaited({ key, place, owner }: BucketLease, now: number): boolean {
    const lease = this.leases.get(leaseOf(key, place));
    return lease?.owner === owner && runs(lease.awaitedUntil, now);
  }

  /** Goes on holding places. One that was lost, because its holder was silent for too long, stays lost. */
  renew(held: readonly BucketLease[], now: number): void {
    this.environment.write(() => {
      for (const { key, place, owner } of held) {
        this.change(leaseOf(key, place), (lease) => (lease.owner === owner ? { ...lease, expiresAt: now + leaseMs } : lease));
      }
    });
  }

  /** Lets go of a place; the next one who asks has the turn. */
  release({ key, place, owner }: BucketLease): void {
    this.environment.write(() => {
      if (this.leases.get(leaseOf(key, place))?.owner === owner) this.leases.removeSync(leaseOf(key, place));
    });
  }

  /**
   * Lets go of a place whose call came to nothing that could be kept. Where others wait for it that is written down for them.
   * @returns true when it was: {@link forgetFailure} is due once all have had the time to see it.
   */
  fail(held: BucketLease, now: number): boolean {
    return this.environment.write(() => {
      const at = leaseOf(held.key, held.place);
      const lease = this.leases.get(at);
      if (lease?.owner !== held.owner) return false;
      this.leases.removeSync(at);
      if (!runs(lease.awaitedUntil, now)) return false;
      this.failures.putSync(failureOf(held.key), { owner: held.owner, expiresAt: now + leaseMs });
      return true;
    });
  }

  /** Who had the latest turn that came to nothing while others waited; undefined: nobody of late. */
  lastFailure(key: CacheKey): string | undefined {
    return this.failures.get(failureOf(key))?.owner;
  }

  /** Forgets that this turn came to nothing; of a later one it stays known. */
  forgetFailure({ key, owner }: BucketLease): void {
    this.environment.write(() => {
      if (this.lastFailure(key) === owner) this.failures.removeSync(failureOf(key));
    });
  }

  private allTaken(key: CacheKey, places: readonly number[], now: number): boolean {
    return places.every((place) => this.isTaken(leaseOf(key, place), now));
  }

  private isTaken(at: PlaceKey, now: number): boolean {
    const lease = this.leases.get(at);
    return lease !== undefined && runs(lease.expiresAt, now);
  }

  /** Within a transaction. */
  private change(at: PlaceKey, change: (lease: Lease) => Lease): void {
    const lease = this.leases.get(at);
    if (lease !== undefined) this.leases.putSync(at, change(lease));
  }

  /** Workers that were killed leave what they wrote behind; each start of a worker clears away what has run out. */
  private sweep(now: number): void {
    for (const table of [this.leases, this.failures]) {
      this.environment.write(() => {
        const all = [...table.getRange()];
        for (const { key, value } of all) if (!runs(value.expiresAt, now)) table.removeSync(key);
      });
    }
  }
}

/**
 * Whether what was given for {@link leaseMs} still holds. A clock that was set back must not make it much longer than it is.
 * TRICKY: who waited for the transaction looked at the clock before it, and finds leases that were given after its own time.
 */
function runs(until: number, now: number): boolean {
  return until > now && until <= now + 2 * leaseMs;
}

function failureOf({ organizationId, fingerprint }: CacheKey): PlaceKey {
  return [organizationId, fingerprint];
}

function placesOf(key: CacheKey): PlaceKey[] {
  return Array.from({ length: key.places }, (_, place) => leaseOf(key, place));
}

function leaseOf({ organizationId, fingerprint }: CacheKey, place: number): PlaceKey {
  return [organizationId, fingerprint, String(place)];
}
