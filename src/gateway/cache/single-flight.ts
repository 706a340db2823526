import { messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CachedResponses, CachedResponse, CacheKey } from '../../state/cached-responses.ts';
import { type CacheLeases, type BucketLease, leaseMs } from '../../state/cache-leases.ts';

/** Shared by all workers of a machine. */
export interface CacheState {
  readonly responses: CachedResponses;
  readonly turns: CacheLeases;
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
  readonly place: number;
}

/** The right to fetch a response while equal calls wait. It ends once, in one of three ways; further calls do nothing. */
export interface Lease {
  /** Whether another call waits for the response. */
  readonly isAwaited: () => boolean;
  readonly keep: (response: CachedResponse) => void;
  /** No response may be kept: all waiting calls go to the provider themselves. */
  readonly giveUp: () => void;
  /** The call was not made, or nobody waited for it: the next call gets the lease. */
  readonly pass: () => void;
}

/** `alone`: the call goes on without the cache, which failed or made it wait too long. */
export type CacheResult = CacheHit | { readonly turn: Lease } | 'alone';

interface Waiter {
  readonly question: CacheQuery;
  /** Monotonic time at which the wait ends. */
  readonly until: number;
  /** The latest failure when the wait began; a later one ends it. */
  readonly knownFailure: string | undefined;
  readonly settled: (answer: CacheResult) => void;
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
const lookMs = 20;
/** Waiting calls settled in one tick of the event loop: a response of 4 MiB takes about 2 ms to read. */
const answersAtOnce = 16;
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
  private readonly held = new Set<BucketLease>();
  private renewal: NodeJS.Timeout | undefined;
  private turnsGiven = 0;
  private closed = false;

  constructor(options: ResponseCacheOptions) {
    this.options = options;
  }

  /** Looks for a response, without waiting and without a lease. */
  look({ key, maxAgeMs }: CacheQuery): CacheHit | undefined {
    const found = this.safely(() => this.options.state().responses.find(key, this.options.clock.now(), maxAgeMs), undefined);
    return found !== undefined && 'hit' in found ? found : undefined;
  }

  /** A lease that nobody waits for: its response takes a free bucket, else replaces the response in one. */
  refresh({ key, maxAgeMs }: CacheQuery): Lease {
    const found = this.safely(() => this.options.state().responses.find(key, this.options.clock.now(), maxAgeMs), { freePlaces: [] });
    const place = 'hit' in found ? found.place : (found.freePlaces[0] ?? 0);
    return this.turnOf({ key, place, owner: '' });
  }

  /**
   * Finds a response, or takes the lease to fetch it. `settled` is called once, synchronously if there is nothing to wait for.
   * @returns ends the wait; `settled` is not called afterwards.
   */
  ask(question: CacheQuery, settled: (answer: CacheResult) => void): () => void {
    const answer = this.attempt(question);
    if (answer !== 'wait') {
      settled(answer);
      return () => undefined;
    }
    if (this.options.waitMs === 0) {
      settled('alone');
      return () => undefined;
    }
    const until = this.options.clock.monotonic() + this.options.waitMs;
    const waiter: Waiter = { question, until, knownFailure: this.lastFailure(question.key), settled };
    const queue = this.queueOf(question.key);
    queue.waiters.push(waiter);
    this.await(question.key);
    return () => {
      const at = queue.waiters.indexOf(waiter);
      if (at !== -1) queue.waiters.splice(at, 1);
    };
  }

  /** Renews the leases of this worker, because a call may last for minutes. A timer calls it. */
  renewTurns(): void {
    if (this.held.size > 0) this.safely(() => this.options.state().turns.renew([...this.held], this.options.clock.now()), undefined);
  }

  /** No lookups and no writes afterwards. */
  close(): void {
    this.closed = true;
    clearInterval(this.renewal);
    for (const { timer } of this.queues.values()) clearInterval(timer);
  }

  private attempt({ key, maxAgeMs }: CacheQuery): CacheResult | 'wait' {
    return this.safely((): CacheResult | 'wait' => {
      this.turnsGiven += 1;
      const owner = `${process.pid}-${this.turnsGiven}`;
      const answer = this.options.state().turns.ask(key, owner, this.options.clock.now(), maxAgeMs);
      if (answer === 'wait' || 'hit' in answer) return answer;
      this.hold(answer.held);
      return { turn: this.turnOf(answer.held) };
    }, 'alone');
  }

  private turnOf(held: BucketLease): Lease {
    let ended = false;
    const end = (then: (state: CacheState) => void): void => {
      if (ended) return;
      ended = true;
      this.held.delete(held);
      this.safely(() => then(this.options.state()), undefined);
      // Deferred: the next call may end at once too, and so on.
      if (this.queues.has(nameOf(held.key))) setImmediate(() => this.advance(nameOf(held.key)));
    };
    return {
      isAwaited: () => !ended && this.safely(() => this.options.state().turns.isAwaited(held, this.options.clock.now()), false),
      keep: (response) => end((state) => this.keep(state, held, response)),
      giveUp: () => end(({ turns }) => this.fail(turns, held)),
      pass: () => end(({ turns }) => turns.release(held)),
    };
  }

  /** The bucket is released even if the response could not be written. */
  private keep({ responses, turns }: CacheState, held: BucketLease, response: CachedResponse): void {
    const isKept = this.safely(() => responses.keep(held.key, held.place, response, this.options.clock.now()), false);
    if (isKept) turns.release(held);
    else this.fail(turns, held);
  }

  private fail(turns: CacheLeases, held: BucketLease): void {
    if (!turns.fail(held, this.options.clock.now())) return;
    setTimeout(() => this.safely(() => turns.forgetFailure(held), undefined), leaseMs).unref();
  }

  private lastFailure(key: CacheKey): string | undefined {
    return this.safely(() => this.options.state().turns.lastFailure(key), undefined);
  }

  private await(key: CacheKey): void {
    this.safely(() => this.options.state().turns.await(key, this.options.clock.now()), undefined);
  }

  private hold(held: BucketLease): void {
    this.held.add(held);
    this.renewal ??= setInterval(() => this.renewTurns(), renewMs).unref();
  }

  private queueOf(key: CacheKey): Queue {
    const name = nameOf(key);
    const existing = this.queues.get(name);
    if (existing !== undefined) return existing;
    const queue: Queue = { key, waiters: [], timer: setInterval(() => this.advance(name), lookMs).unref() };
    this.queues.set(name, queue);
    return queue;
  }

  /** Settles waiting calls from the front of a queue, up to the first that must go on waiting. */
  private advance(name: string): void {
    const queue = this.queues.get(name);
    if (queue === undefined || this.closed) return;
    const failure = this.lastFailure(queue.key);
    let answered = 0;
    for (let first = queue.waiters[0]; first !== undefined; first = queue.waiters[0]) {
      if (answered === answersAtOnce) {
        setImmediate(() => this.advance(name));
        return;
      }
      answered += 1;
      const answer = this.attempt(first.question);
      const isLate = this.options.clock.monotonic() >= first.until;
      const isReleased = failure !== undefined && failure !== first.knownFailure;
      if (answer === 'wait' && !isLate && !isReleased) {
        // The current lease may not be marked as awaited yet, or not for much longer.
        this.await(queue.key);
        return;
      }
      queue.waiters.shift();
      first.settled(answer === 'wait' ? 'alone' : answer);
    }
    clearInterval(queue.timer);
    this.queues.delete(name);
  }

  private safely<Result>(work: () => Result, otherwise: Result): Result {
    if (this.closed) return otherwise;
    try {
      return work();
    } catch (error) {
      this.options.observe({ kind: 'cache_failed', reason: messageOf(error) });
      return otherwise;
    }
  }
}

function nameOf({ organizationId, fingerprint }: CacheKey): string {
  return `${organizationId}/${fingerprint}`;
}
