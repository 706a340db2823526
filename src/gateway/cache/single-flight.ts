import { messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CachedResponses, CachedResponse, CacheKey } from '../../state/cached-responses.ts';
import { type CacheLeases, type BucketLease, leaseMs } from '../../state/cache-leases.ts';

/** Shared by all workers of a machine. */
export interface CacheState {
  readonly responses: CachedResponses;
  readonly leases: CacheLeases;
}

export interface ResponseCacheOptions {
  /** Throws while it cannot be opened. */
  readonly state: () => CacheState;
  readonly clock: Clock;
  readonly observe: Observe;
  /** Maximum wait for an equal call in flight, milliseconds; then the waiting call goes to the provider itself. */
  readonly waitMs: number;
}

export interface CacheQuery {
  readonly key: CacheKey;
  /** Maximum age of a response, milliseconds. */
  readonly maxAgeMs: number;
}

export interface CacheHit {
  readonly hit: CachedResponse;
  readonly bucket: number;
}

/** The right to fetch a response while equal calls wait. It ends once, in one of three ways; further calls do nothing. */
export interface Lease {
  /** Whether another call waits for the response. */
  readonly isAwaited: () => boolean;
  readonly store: (response: CachedResponse) => void;
  /** No response may be kept: all waiting calls go to the provider themselves. */
  readonly giveUp: () => void;
  /** The call was not made, or nobody waited for it: the next call gets the lease. */
  readonly release: () => void;
}

/** `alone`: the call goes on without the cache, which failed or made it wait too long. */
export type CacheResult = CacheHit | { readonly lease: Lease } | 'alone';

interface Waiter {
  readonly query: CacheQuery;
  /** Monotonic time at which the wait ends. */
  readonly until: number;
  /** The latest failure when the wait began; a later one ends it. */
  readonly knownFailure: string | undefined;
  readonly settled: (result: CacheResult) => void;
}

/** Calls of this worker that wait for one response, in order of arrival. */
interface Queue {
  readonly key: CacheKey;
  readonly waiters: Waiter[];
  readonly timer: NodeJS.Timeout;
}

/**
 * Interval at which waiting calls look for a response from another worker, milliseconds. A look is three reads of a memory map, about 5
 * µs, so a key costs a four-thousandth of a core, however many of its calls wait.
 */
const pollMs = 20;
/** Waiting calls settled in one tick of the event loop: a response of 4 MiB takes about 2 ms to read. */
const settledPerTick = 16;
/** A lease is renewed several times before it would expire. */
const renewMs = 1000;

/**
 * The response cache as one worker uses it. Of equal calls in all workers, one gets the lease and calls the provider; the others wait for
 * its response, each worker's in a queue. If there is none, they all call the provider, and the first of them gets the lease.
 *
 * A failure here costs the cache, never the call.
 */
export class SingleFlight {
  private readonly options: ResponseCacheOptions;
  private readonly queues = new Map<string, Queue>();
  private readonly heldLeases = new Set<BucketLease>();
  private renewal: NodeJS.Timeout | undefined;
  private leaseCount = 0;
  private closed = false;

  constructor(options: ResponseCacheOptions) {
    this.options = options;
  }

  /** Looks for a response, without waiting and without a lease. */
  find({ key, maxAgeMs }: CacheQuery): CacheHit | undefined {
    const found = this.safely(() => this.options.state().responses.find(key, this.options.clock.now(), maxAgeMs), undefined);
    return found !== undefined && 'hit' in found ? found : undefined;
  }

  /** A lease that nobody waits for: its response takes a free bucket, else replaces the response in one. */
  refresh({ key, maxAgeMs }: CacheQuery): Lease {
    const found = this.safely(() => this.options.state().responses.find(key, this.options.clock.now(), maxAgeMs), { freeBuckets: [] });
    const bucket = 'hit' in found ? found.bucket : (found.freeBuckets[0] ?? 0);
    return this.leaseFor({ key, bucket, owner: '' });
  }

  /**
   * Finds a response, or takes the lease to fetch it. `settled` is called once, synchronously if there is nothing to wait for.
   * @returns ends the wait; `settled` is not called afterwards.
   */
  acquire(query: CacheQuery, settled: (result: CacheResult) => void): () => void {
    const result = this.attempt(query);
    if (result !== 'wait') {
      settled(result);
      return () => undefined;
    }
    if (this.options.waitMs === 0) {
      settled('alone');
      return () => undefined;
    }
    const until = this.options.clock.monotonic() + this.options.waitMs;
    const waiter: Waiter = { query, until, knownFailure: this.lastFailure(query.key), settled };
    const queue = this.queueFor(query.key);
    queue.waiters.push(waiter);
    this.markAwaited(query.key);
    return () => {
      const at = queue.waiters.indexOf(waiter);
      if (at !== -1) queue.waiters.splice(at, 1);
    };
  }

  /** Renews the leases of this worker, because a call may last for minutes. A timer calls it. */
  renewLeases(): void {
    if (this.heldLeases.size === 0) return;
    this.safely(() => this.options.state().leases.renew([...this.heldLeases], this.options.clock.now()), undefined);
  }

  /** No lookups and no writes afterwards. */
  close(): void {
    this.closed = true;
    clearInterval(this.renewal);
    for (const { timer } of this.queues.values()) clearInterval(timer);
  }

  private attempt({ key, maxAgeMs }: CacheQuery): CacheResult | 'wait' {
    return this.safely((): CacheResult | 'wait' => {
      this.leaseCount += 1;
      const owner = `${process.pid}-${this.leaseCount}`;
      const result = this.options.state().leases.acquire(key, owner, this.options.clock.now(), maxAgeMs);
      if (result === 'wait' || 'hit' in result) return result;
      this.holdLease(result.lease);
      return { lease: this.leaseFor(result.lease) };
    }, 'alone');
  }

  private leaseFor(leased: BucketLease): Lease {
    let ended = false;
    const end = (then: (state: CacheState) => void): void => {
      if (ended) return;
      ended = true;
      this.heldLeases.delete(leased);
      this.safely(() => then(this.options.state()), undefined);
      // Deferred: the next call may end at once too, and so on.
      if (this.queues.has(queueName(leased.key))) setImmediate(() => this.advance(queueName(leased.key)));
    };
    return {
      isAwaited: () => !ended && this.safely(() => this.options.state().leases.isAwaited(leased, this.options.clock.now()), false),
      store: (response) => end((state) => this.keep(state, leased, response)),
      giveUp: () => end(({ leases }) => this.fail(leases, leased)),
      release: () => end(({ leases }) => leases.release(leased)),
    };
  }

  /** The bucket is released even if the response could not be written. */
  private keep({ responses, leases }: CacheState, leased: BucketLease, response: CachedResponse): void {
    const isKept = this.safely(() => responses.keep(leased.key, leased.bucket, response, this.options.clock.now()), false);
    if (isKept) leases.release(leased);
    else this.fail(leases, leased);
  }

  private fail(leases: CacheLeases, leased: BucketLease): void {
    if (!leases.fail(leased, this.options.clock.now())) return;
    setTimeout(() => this.safely(() => leases.forgetFailure(leased), undefined), leaseMs).unref();
  }

  private lastFailure(key: CacheKey): string | undefined {
    return this.safely(() => this.options.state().leases.lastFailure(key), undefined);
  }

  private markAwaited(key: CacheKey): void {
    this.safely(() => this.options.state().leases.markAwaited(key, this.options.clock.now()), undefined);
  }

  private holdLease(leased: BucketLease): void {
    this.heldLeases.add(leased);
    this.renewal ??= setInterval(() => this.renewLeases(), renewMs).unref();
  }

  private queueFor(key: CacheKey): Queue {
    const name = queueName(key);
    const existing = this.queues.get(name);
    if (existing !== undefined) return existing;
    const queue: Queue = { key, waiters: [], timer: setInterval(() => this.advance(name), pollMs).unref() };
    this.queues.set(name, queue);
    return queue;
  }

  /** Settles waiting calls from the front of a queue, up to the first that must go on waiting. */
  private advance(name: string): void {
    const queue = this.queues.get(name);
    if (queue === undefined || this.closed) return;
    const failure = this.lastFailure(queue.key);
    let settled = 0;
    for (let first = queue.waiters[0]; first !== undefined; first = queue.waiters[0]) {
      if (settled === settledPerTick) {
        setImmediate(() => this.advance(name));
        return;
      }
      settled += 1;
      const result = this.attempt(first.query);
      const isLate = this.options.clock.monotonic() >= first.until;
      const hasFailed = failure !== undefined && failure !== first.knownFailure;
      if (result === 'wait' && !isLate && !hasFailed) {
        // The current lease may not be marked as awaited yet, or not for much longer.
        this.markAwaited(queue.key);
        return;
      }
      queue.waiters.shift();
      first.settled(result === 'wait' ? 'alone' : result);
    }
    clearInterval(queue.timer);
    this.queues.delete(name);
  }

  private safely<Result>(work: () => Result, fallback: Result): Result {
    if (this.closed) return fallback;
    try {
      return work();
    } catch (error) {
      this.options.observe({ kind: 'cache_failed', reason: messageOf(error) });
      return fallback;
    }
  }
}

function queueName({ organizationId, fingerprint }: CacheKey): string {
  return `${organizationId}/${fingerprint}`;
}
