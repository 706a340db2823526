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

type EntryKey = string[];

export interface BucketLease {
  readonly key: CacheKey;
  readonly bucket: number;
  readonly owner: string;
}

/** A response, a lease to fetch one, or `wait` while other calls fill all free buckets. */
export type LeaseResult = Extract<Lookup, { hit: unknown }> | { readonly lease: BucketLease } | 'wait';

/** A lease that its owner does not renew expires after this, milliseconds. */
export const leaseMs = 5000;
/** A lease is marked as awaited again once the mark is valid for less than this, milliseconds. */
const awaitedRenewalMs = leaseMs - 1000;

/**
 * Leases on the buckets of the cache: one call at a time fetches the response for a bucket, over all workers of a machine.
 * Invariant: the transaction that grants a lease also checks that no response is there, so a response kept meanwhile is found and not
 * fetched again.
 */
export class CacheLeases {
  private readonly environment: LmdbEnvironment;
  private readonly responses: CachedResponses;
  private readonly leases: Database<Lease, EntryKey>;
  private readonly failures: Database<Failure, EntryKey>;

  constructor(environment: LmdbEnvironment, responses: CachedResponses, now: number) {
    this.environment = environment;
    this.responses = responses;
    this.leases = environment.table<Lease, EntryKey>('leases');
    this.failures = environment.table<Failure, EntryKey>('failures');
    this.sweep(now);
  }

  /** @param now Unix milliseconds. */
  acquire(key: CacheKey, owner: string, now: number, maxAgeMs: number): LeaseResult {
    const found = this.responses.find(key, now, maxAgeMs);
    if ('hit' in found) return found;
    if (this.allLeased(key, found.freeBuckets, now)) return 'wait';
    return this.environment.write(() => {
      const latest = this.responses.find(key, now, maxAgeMs);
      if ('hit' in latest) return latest;
      const bucket = latest.freeBuckets.find((free) => !this.isLeased(leaseKey(key, free), now));
      if (bucket === undefined) return 'wait';
      this.leases.putSync(leaseKey(key, bucket), { owner, expiresAt: now + leaseMs, awaitedUntil: 0 });
      return { lease: { key, bucket, owner } };
    });
  }

  /** Marks the leases of a key as awaited, for the time of a lease. */
  markAwaited(key: CacheKey, now: number): void {
    const unmarked = leaseKeys(key).filter((at) => {
      const lease = this.leases.get(at);
      return lease !== undefined && !(lease.awaitedUntil >= now + awaitedRenewalMs && isValid(lease.awaitedUntil, now));
    });
    if (unmarked.length === 0) return;
    this.environment.write(() => {
      for (const at of unmarked) this.change(at, (lease) => ({ ...lease, awaitedUntil: now + leaseMs }));
    });
  }

  isAwaited({ key, bucket, owner }: BucketLease, now: number): boolean {
    const lease = this.leases.get(leaseKey(key, bucket));
    return lease?.owner === owner && isValid(lease.awaitedUntil, now);
  }

  /** Renews leases, except those that another owner has taken over. */
  renew(leases: readonly BucketLease[], now: number): void {
    this.environment.write(() => {
      for (const { key, bucket, owner } of leases) {
        this.change(leaseKey(key, bucket), (lease) => (lease.owner === owner ? { ...lease, expiresAt: now + leaseMs } : lease));
      }
    });
  }

  /** Releases a lease, so that the next call gets it. */
  release({ key, bucket, owner }: BucketLease): void {
    this.environment.write(() => {
      if (this.leases.get(leaseKey(key, bucket))?.owner === owner) this.leases.removeSync(leaseKey(key, bucket));
    });
  }

  /**
   * Releases a lease without a response, and notes the failure if other calls wait for it.
   * @returns whether it noted the failure: call {@link forgetFailure} once every waiting call has had time to see it.
   */
  fail({ key, bucket, owner }: BucketLease, now: number): boolean {
    return this.environment.write(() => {
      const at = leaseKey(key, bucket);
      const lease = this.leases.get(at);
      if (lease?.owner !== owner) return false;
      this.leases.removeSync(at);
      if (!isValid(lease.awaitedUntil, now)) return false;
      this.failures.putSync(failureKey(key), { owner, expiresAt: now + leaseMs });
      return true;
    });
  }

  /** Owner of the latest lease that failed while other calls waited; undefined: no recent failure. */
  lastFailure(key: CacheKey): string | undefined {
    return this.failures.get(failureKey(key))?.owner;
  }

  /** Forgets this failure, but not a later one of the same key. */
  forgetFailure({ key, owner }: BucketLease): void {
    this.environment.write(() => {
      if (this.lastFailure(key) === owner) this.failures.removeSync(failureKey(key));
    });
  }

  private allLeased(key: CacheKey, buckets: readonly number[], now: number): boolean {
    return buckets.every((bucket) => this.isLeased(leaseKey(key, bucket), now));
  }

  private isLeased(at: EntryKey, now: number): boolean {
    const lease = this.leases.get(at);
    return lease !== undefined && isValid(lease.expiresAt, now);
  }

  /** Within a transaction. */
  private change(at: EntryKey, change: (lease: Lease) => Lease): void {
    const lease = this.leases.get(at);
    if (lease !== undefined) this.leases.putSync(at, change(lease));
  }

  /** Killed workers leave entries behind; each start of a worker removes the expired ones. */
  private sweep(now: number): void {
    for (const table of [this.leases, this.failures]) {
      this.environment.write(() => {
        const all = [...table.getRange()];
        for (const { key, value } of all) if (!isValid(value.expiresAt, now)) table.removeSync(key);
      });
    }
  }
}

/**
 * Whether something valid for {@link leaseMs} is still valid. After the clock is set back, it must not stay valid for much longer than
 * that.
 * TRICKY: the caller read the clock before it waited for the transaction, so a lease may have been granted after `now`.
 */
function isValid(until: number, now: number): boolean {
  return until > now && until <= now + 2 * leaseMs;
}

function failureKey({ organizationId, fingerprint }: CacheKey): EntryKey {
  return [organizationId, fingerprint];
}

function leaseKeys(key: CacheKey): EntryKey[] {
  return Array.from({ length: key.buckets }, (_, bucket) => leaseKey(key, bucket));
}

function leaseKey({ organizationId, fingerprint }: CacheKey, bucket: number): EntryKey {
  return [organizationId, fingerprint, String(bucket)];
}
