import { messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CachedResponses, CachedResponse, CacheKey } from '../../state/cached-responses.ts';
import { type CacheLeases, type BucketLease, leaseMs } from '../../state/cache-leases.ts';

/** What all workers of a machine share of the cache. */
export interface CacheState {
  readonly responses: CachedResponses;
  readonly turns: CacheLeases;
}

export interface ResponseCacheOptions {
  /** Throws while it cannot be opened. */
  readonly state: () => CacheState;
  readonly clock: Clock;
  readonly observe: Observe;
  /** How long a call waits at most for an equal one that is on its way, milliseconds; then it calls for itself. */
  readonly waitMs: number;
}

/** What is looked for. */
export interface CacheQuery {
  readonly key: CacheKey;
  /** An older reply is none, milliseconds. */
  readonly maxAgeMs: number;
}

/** A reply that was kept. */
export interface CacheHit {
  readonly hit: CachedResponse;
  readonly place: number;
}

/** It is up to this call to fetch the reply, while equal ones wait. It ends the turn once, in one of three ways; what comes later does nothing. */
export interface Lease {
  /** Whether another call waits for the reply. */
  readonly isAwaited: () => boolean;
  readonly keep: (response: CachedResponse) => void;
  /** There is no reply that may be kept: all who wait call for themselves, as waiting gains them nothing. */
  readonly giveUp: () => void;
  /** The call was not made, or nobody waited for it: the next one has the turn. */
  readonly pass: () => void;
}

/** `alone`: the call goes its way without the cache, which is not to be had, or made it wait for too long. */
export type CacheResult = CacheHit | { readonly turn: Lease } | 'alone';

interface Waiter {
  readonly question: CacheQuery;
  /** Monotonic time at which it stops waiting. */
  readonly until: number;
  /** The failure that was known when it came; a later one ends the wait. */
  readonly knownFailure: string | undefined;
  readonly settled: (answer: CacheResult) => void;
}

/** Calls of this worker that wait for one reply, in the order in which they came. */
interface Queue {
  readonly key: CacheKey;
  readonly waiters: Waiter[];
  readonly timer: NodeJS.Timeout;
}

/**
 * How often a reply that another worker fetches is looked for, milliseconds. A look is three reads of a memory map, some 5 µs: a reply that is
 * waited for costs a worker a four thousandth of a core, however many calls wait.
 */
const lookMs = 20;
/** Callers that are answered in one turn of the event loop: a reply of 4 MiB takes some 2 ms to read. */
const answersAtOnce = 16;
/** A turn is renewed several times before it would be lost. */
const renewMs = 1000;

/**
 * The response cache as one worker uses it. Of equal calls that come at once, in all workers, one has the turn to call the provider; the others
 * wait for its reply, those of this worker in a queue. When it comes to nothing, they all call for themselves, and the first of them has the turn.
 *
 * What fails here costs the cache and never the call.
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

  /** Looks for a reply without waiting for one, and without a turn to fetch it. */
  look({ key, maxAgeMs }: CacheQuery): CacheHit | undefined {
    const found = this.safely(() => this.options.state().responses.find(key, this.options.clock.now(), maxAgeMs), undefined);
    return found !== undefined && 'hit' in found ? found : undefined;
  }

  /** A turn that nobody waits for: its reply takes a free place, else the place of another. */
  refresh({ key, maxAgeMs }: CacheQuery): Lease {
    const found = this.safely(() => this.options.state().responses.find(key, this.options.clock.now(), maxAgeMs), { freePlaces: [] });
    const place = 'hit' in found ? found.place : (found.freePlaces[0] ?? 0);
    return this.turnOf({ key, place, owner: '' });
  }

  /**
   * Asks for a reply, or for the turn to fetch it. `settled` is called once, at once where nothing has to be waited for.
   * @returns stops waiting; then `settled` is not called any more.
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

  /** Goes on holding the turns of this worker, of which each may last for minutes. A timer calls it. */
  renewTurns(): void {
    if (this.held.size > 0) this.safely(() => this.options.state().turns.renew([...this.held], this.options.clock.now()), undefined);
  }

  /** Nothing is looked for or kept any more. */
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
      // Not from within: the next one's call may end at once too, and so on.
      if (this.queues.has(nameOf(held.key))) setImmediate(() => this.advance(nameOf(held.key)));
    };
    return {
      isAwaited: () => !ended && this.safely(() => this.options.state().turns.isAwaited(held, this.options.clock.now()), false),
      keep: (response) => end((state) => this.keep(state, held, response)),
      giveUp: () => end(({ turns }) => this.fail(turns, held)),
      pass: () => end(({ turns }) => turns.release(held)),
    };
  }

  /** The place is released also where the reply could not be written. */
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

  /** Answers those in front of a queue as far as there are answers. */
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
        // Whoever has the turn by now may not know yet, or no longer.
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
