import type { Database } from 'lmdb';
import type { CachedResponses, CacheKey, Lookup } from './cached-responses.ts';
import type { LmdbEnvironment } from './lmdb.ts';

/** A call in flight will fill this bucket. */
interface Lease {
  readonly owner: string;
  /** Unix milliseconds; the owner renews it. */
  readonly expiresAt: number;
  /** Another call waits for the response until then, Unix milliseconds; waiting calls renew it. */
  readonly awaitedUntil: number;
}

/** A lease ended without a response while other calls waited for it. */
interface Failure {
  readonly owner: string;
  readonly expiresAt: number;
}

type PlaceKey = string[];

export interface BucketLease {
  readonly key: CacheKey;
  readonly place: number;
  readonly owner: string;
}

/** A response, a lease to fetch one, or `wait` while other calls fill all free buckets. */
export type TurnAnswer = Extract<Lookup, { hit: unknown }> | { readonly held: BucketLease } | 'wait';

/** A lease that its owner does not renew expires after this, milliseconds. */
export const leaseMs = 5000;
/** A lease is marked as awaited again once the mark is valid for less than this, milliseconds. */
const awaitAgainMs = leaseMs - 1000;

/**
 * Leases on the buckets of the cache: one call at a time fetches the response for a bucket, over all workers of a machine.
 * Invariant: the transaction that grants a lease also checks that no response is there, so a response kept meanwhile is found and not
 * fetched again.
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

  /** Marks the leases of a key as awaited, for the time of a lease. */
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

  /** Renews leases, except those that another owner has taken over. */
  renew(held: readonly BucketLease[], now: number): void {
    this.environment.write(() => {
      for (const { key, place, owner } of held) {
        this.change(leaseOf(key, place), (lease) => (lease.owner === owner ? { ...lease, expiresAt: now + leaseMs } : lease));
      }
    });
  }

  /** Releases a lease, so that the next call gets it. */
  release({ key, place, owner }: BucketLease): void {
    this.environment.write(() => {
      if (this.leases.get(leaseOf(key, place))?.owner === owner) this.leases.removeSync(leaseOf(key, place));
    });
  }

  /**
   * Releases a lease without a response, and notes the failure if other calls wait for it.
   * @returns whether it noted the failure: call {@link forgetFailure} once every waiting call has had time to see it.
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

  /** Owner of the latest lease that failed while other calls waited; undefined: no recent failure. */
  lastFailure(key: CacheKey): string | undefined {
    return this.failures.get(failureOf(key))?.owner;
  }

  /** Forgets this failure, but not a later one of the same key. */
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

  /** Killed workers leave entries behind; each start of a worker removes the expired ones. */
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
 * Whether something valid for {@link leaseMs} is still valid. After the clock is set back, it must not stay valid for much longer than
 * that.
 * TRICKY: the caller read the clock before it waited for the transaction, so a lease may have been granted after `now`.
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
