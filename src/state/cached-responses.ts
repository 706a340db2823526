import { randomInt } from 'node:crypto';
import type { Database } from 'lmdb';
import type { LmdbEnvironment } from './lmdb.ts';

/** A response with its decoded body, which is encoded again for each caller. Times are Unix milliseconds. */
export interface CachedResponse {
  /** Identifier of the exchange that fetched it. */
  readonly requestId: string;
  readonly userId: string;
  readonly status: number;
  /** Names and values in turn, without those of the connection, the length and the coding. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
  /** When the response was complete. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** How long the provider took, milliseconds. */
  readonly latencyMs: number;
}

/** Responses are never shared between organisations. */
export interface CacheKey {
  readonly organizationId: string;
  /** Hash of everything that must be equal. */
  readonly fingerprint: string;
  /** Number of buckets, at least 1: this many responses are kept before any is served; then each lookup picks one at random. */
  readonly buckets: number;
}

export interface CacheLimits {
  /** Of all responses together; the least recently used are evicted first. */
  readonly maxBytes: number;
  /** A larger response is not kept. */
  readonly maxResponseBytes: number;
}

/** A response, or the buckets, at least one, that a new one may take. */
export type Lookup = { readonly hit: CachedResponse; readonly bucket: number } | { readonly freeBuckets: readonly number[] };

/** Fields that lookups need, stored beside the response: its body may be megabytes, and waiting calls look every few milliseconds. */
interface EntryMetadata extends Pick<CachedResponse, 'requestId' | 'userId' | 'createdAt' | 'expiresAt'> {
  readonly bytes: number;
}

interface StoredResponse extends CachedResponse {
  readonly bytes: number;
  /** Last use, written by an earlier version. */
  readonly usedAt?: number;
}

/** Stored beside the response, so that updating it does not rewrite the body. */
interface LastUse {
  readonly requestId: string;
  readonly usedAt: number;
}

type BucketKey = string[];

/** Last uses are flushed together: after this interval, above this number, and before an eviction. */
const flushIntervalMs = 1000;
const maxUnflushed = 256;
/**
 * After the clock is set back, responses lie in the future. Up to this many milliseconds count as a correction; beyond that their age is
 * unknown.
 */
const maxAheadMs = 60_000;
/** Estimated bytes of a response besides its body and headers. */
const overheadBytes = 512;
/** Responses removed in one transaction, for which calls of all workers wait. */
const removalBatchSize = 32;
const totalKey: BucketKey = ['total'];

/**
 * Cached responses, shared by all workers of a machine and bounded in bytes.
 *
 * Invariant: each response has its metadata and one entry in the table of uses, which is ordered by last use; the total is the sum of all.
 * They change in one transaction. Last uses are flushed at most once a second, so another worker may see one up to a second old.
 */
export class CachedResponses {
  private readonly environment: LmdbEnvironment;
  private readonly limits: CacheLimits;
  private readonly responses: Database<StoredResponse, BucketKey>;
  private readonly metadata: Database<EntryMetadata, BucketKey>;
  private readonly uses: Database<boolean, (string | number)[]>;
  private readonly lastUses: Database<LastUse, BucketKey>;
  private readonly totals: Database<number, BucketKey>;
  /** Uses that are not flushed yet, by bucket, the oldest first. */
  private readonly unflushed = new Map<string, LastUse & { readonly at: BucketKey }>();
  private flushedAt = 0;

  constructor(environment: LmdbEnvironment, limits: CacheLimits) {
    this.environment = environment;
    this.limits = limits;
    this.responses = environment.table<StoredResponse, BucketKey>('replies');
    this.metadata = environment.table<EntryMetadata, BucketKey>('facts');
    this.uses = environment.table<boolean, (string | number)[]>('uses');
    this.lastUses = environment.table<LastUse, BucketKey>('last-uses');
    this.totals = environment.table<number, BucketKey>('totals');
  }

  /**
   * Looks for a response. A bucket is free when its response has expired, is older than `maxAgeMs`, or lies in the future because the
   * clock was set back.
   * @param now Unix milliseconds.
   */
  find(key: CacheKey, now: number, maxAgeMs = Number.POSITIVE_INFINITY): Lookup {
    const freeBuckets: number[] = [];
    const pick = key.buckets === 1 ? 0 : randomInt(key.buckets);
    let picked: EntryMetadata | undefined;
    for (let bucket = 0; bucket < key.buckets; bucket += 1) {
      const metadata = this.metadataOf(bucketKey(key, bucket));
      if (metadata === undefined || !isFresh(now, metadata) || now - metadata.createdAt >= maxAgeMs) freeBuckets.push(bucket);
      else if (bucket === pick) picked = metadata;
    }
    if (picked === undefined || freeBuckets.length > 0) return { freeBuckets };
    const hit = this.responses.get(bucketKey(key, pick));
    // An earlier version, running in between, replaces a response without its metadata.
    if (hit?.requestId !== picked.requestId) return { freeBuckets: [pick] };
    this.use(bucketKey(key, pick), { requestId: hit.requestId, usedAt: now });
    return { hit, bucket: pick };
  }

  /** Stores a response in a bucket, in place of its current one. @returns false if it is too large. */
  keep(key: CacheKey, bucket: number, response: CachedResponse, now: number): boolean {
    const bytes = response.headers.reduce((sum, part) => sum + part.length, response.body.length + overheadBytes);
    if (bytes > this.limits.maxResponseBytes || bytes > this.limits.maxBytes) return false;
    const at = bucketKey(key, bucket);
    this.environment.write(() => {
      let total = this.total() - this.remove(at) + bytes;
      if (total > this.limits.maxBytes) this.flushUses(now);
      while (total > this.limits.maxBytes) {
        const [oldest] = [...this.uses.getKeys({ limit: 1 })];
        if (oldest === undefined) break;
        total -= this.remove(oldest.slice(1).map(String));
        // Whatever is in the bucket: otherwise this entry would stay the oldest for ever.
        this.uses.removeSync(oldest);
      }
      this.responses.putSync(at, { ...response, bytes });
      const { requestId, userId, createdAt, expiresAt } = response;
      this.metadata.putSync(at, { requestId, userId, createdAt, expiresAt, bytes });
      this.lastUses.putSync(at, { requestId: response.requestId, usedAt: now });
      this.uses.putSync([now, ...at], true);
      this.totals.putSync(totalKey, total);
    });
    return true;
  }

  /** Number of cached responses of an organisation, or of one of its users. */
  count(organizationId: string, userId?: string): number {
    return this.keysOf(organizationId, userId).length;
  }

  /** Removes the cached responses of an organisation, or of one of its users. @returns how many. */
  forget(organizationId: string, userId?: string): number {
    const keys = this.keysOf(organizationId, userId);
    let removed = 0;
    for (let start = 0; start < keys.length; start += removalBatchSize) {
      removed += this.environment.write(() => this.removeBatch(keys.slice(start, start + removalBatchSize), userId));
    }
    return removed;
  }

  /** Within a transaction: a bucket may have another user's response by now. */
  private removeBatch(keys: readonly BucketKey[], userId: string | undefined): number {
    const own = keys.filter((key) => {
      const metadata = this.metadataOf(key);
      return metadata !== undefined && (userId === undefined || metadata.userId === userId);
    });
    const freed = own.reduce((sum, key) => sum + this.remove(key), 0);
    this.totals.putSync(totalKey, this.total() - freed);
    return own.length;
  }

  /** Bytes of all responses. */
  total(): number {
    return this.totals.get(totalKey) ?? 0;
  }

  private keysOf(organizationId: string, userId: string | undefined): BucketKey[] {
    const all = this.responses.getKeys({ start: [organizationId], end: [organizationId, '\u{10ffff}'] });
    return [...all].filter((key) => userId === undefined || this.metadataOf(key)?.userId === userId);
  }

  /** An earlier version stored them only with the body. */
  private metadataOf(at: BucketKey): EntryMetadata | undefined {
    return this.metadata.get(at) ?? this.responses.get(at);
  }

  private use(at: BucketKey, use: LastUse): void {
    const name = at.join('/');
    this.unflushed.delete(name);
    this.unflushed.set(name, { ...use, at });
    const isDue = this.unflushed.size > maxUnflushed || use.usedAt - this.flushedAt >= flushIntervalMs;
    if (isDue && this.environment.hasFreeSpace()) this.environment.write(() => this.flushUses(use.usedAt));
    const [oldest] = this.unflushed.size > maxUnflushed ? this.unflushed.keys() : [];
    if (oldest !== undefined) this.unflushed.delete(oldest);
  }

  /** Within a transaction. A response that has replaced the used one does not inherit its use. */
  private flushUses(now: number): void {
    for (const { at, requestId, usedAt } of this.unflushed.values()) {
      const before = this.lastUseOf(at);
      if (before?.requestId !== requestId || before.usedAt >= usedAt) continue;
      this.uses.removeSync([before.usedAt, ...at]);
      this.uses.putSync([usedAt, ...at], true);
      this.lastUses.putSync(at, { requestId, usedAt });
    }
    this.unflushed.clear();
    this.flushedAt = now;
  }

  private lastUseOf(at: BucketKey): LastUse | undefined {
    const last = this.lastUses.get(at);
    if (last !== undefined) return last;
    const stored = this.responses.get(at);
    return stored?.usedAt === undefined ? undefined : { requestId: stored.requestId, usedAt: stored.usedAt };
  }

  /** Removes a response and its last use, within a transaction; the caller updates the total. @returns its bytes. */
  private remove(at: BucketKey): number {
    const metadata = this.metadataOf(at);
    if (metadata === undefined) return 0;
    const last = this.lastUseOf(at);
    this.responses.removeSync(at);
    if (last !== undefined) this.uses.removeSync([last.usedAt, ...at]);
    this.lastUses.removeSync(at);
    this.metadata.removeSync(at);
    return metadata.bytes;
  }
}

function isFresh(now: number, { createdAt, expiresAt }: EntryMetadata): boolean {
  return now < expiresAt && createdAt <= now + maxAheadMs;
}

function bucketKey({ organizationId, fingerprint }: CacheKey, bucket: number): BucketKey {
  return [organizationId, fingerprint, String(bucket)];
}
