import type { EraseDeliveries } from '../events/erase-deliveries.ts';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { GatelogError, messageOf } from '../model/errors.ts';
import type { Erasure, ErasureCounts, ErasureStage } from '../model/erasure.ts';
import type { OrganizationId, RequestId } from '../model/ids.ts';
import type { Observe } from '../model/observation.ts';
import { makeBackoff } from '../platform/backoff.ts';
import { failureText } from '../store/engine/failure.ts';
import type { EraseStored } from '../store/delete/erasure.ts';

export interface ErasureRepository {
  /**
   * The running erasure of this user, or the one with an unfetched receipt, else a new one; undefined when that would be new and
   * `takesNew` is false.
   */
  readonly order: (organizationId: OrganizationId, userId: string, takesNew: boolean) => Promise<Erasure | undefined>;
  readonly unfinished: () => Promise<readonly Erasure[]>;
  readonly advance: (number: number, reached: Partial<ErasureCounts> & { readonly stage: ErasureStage }) => Promise<void>;
  /** The number of exchanges removed on their way to the store. */
  readonly countErased: (number: number) => Promise<number>;
  readonly forget: (number: number) => Promise<void>;
}

/** Everything that may hold a user's data. All throw the abort reason on a stop. */
export interface ErasureTargets {
  /** Between `begin` and `end` no record of the user is stored. */
  readonly ingest: { readonly begin: (erasure: Erasure) => void; readonly end: (erasure: Erasure) => void };
  /** Waits until nothing in flight can bring a record of the user. */
  readonly waitForSpoolDrain: (erasure: Erasure, signal: AbortSignal) => Promise<void>;
  /** Waits for the running changes of the organisation. */
  readonly whenChangesAreOver: (organizationId: OrganizationId) => Promise<void>;
  readonly store: EraseStored;
  /** Deliveries of events to webhooks and alert channels. */
  readonly deliveries: EraseDeliveries;
  /** Cached responses. */
  readonly responses: { readonly count: (erasure: Erasure) => number; readonly forget: (erasure: Erasure) => void };
  readonly deadLetters: { readonly count: (erasure: Erasure) => Promise<number>; readonly erase: (erasure: Erasure) => Promise<number> };
}

export interface ErasurePorts {
  readonly repository: ErasureRepository;
  readonly targets: ErasureTargets;
  readonly observe: Observe;
}

export type ErasureReceipt = Erasure & { readonly stage: 'done' };

const firstRetryMs = 200;
const maxRetryMs = 30_000;
/** Maximum running erasures; further ones get 503. */
const defaultMaxRunning = 1000;

/** The work of a stage; it may be repeated. */
interface Step {
  readonly run: (erasure: Erasure) => Promise<Partial<ErasureCounts>>;
  readonly next: ErasureStage;
}

interface Running {
  readonly erasure: Erasure;
  readonly done: Promise<ErasureReceipt>;
}

/**
 * Erases users: removes everything that a user sent up to the moment of the order, everywhere, and then returns a receipt with the counts.
 * The order is stored before anything else happens. While an erasure runs, no record of the user is stored, so once the spool has drained,
 * the store holds all that is left. The store's requests are listed and counted before the first of them is removed, so an erasure
 * interrupted by a stop or a crash resumes and reports the same counts.
 */
export class Erasures {
  private readonly ports: ErasurePorts;
  private readonly maxRunning: number;
  private readonly running = new Map<number, Running>();
  private readonly stopping = new AbortController();
  private readonly stopped = once(this.stopping.signal, 'abort');
  /** The tail of the queue of store rewrites by erasures and retention, one at a time. */
  private storeQueue: Promise<unknown> = Promise.resolve();
  /** Settles when erasures may change data again. */
  private pause: Promise<unknown> | undefined;
  /** The work of each stage, and the next one. */
  private readonly steps: Readonly<Record<Exclude<ErasureStage, 'done'>, Step>> = {
    ordered: { run: (erasure) => this.countDeadLetters(erasure), next: 'lettersCounted' },
    lettersCounted: { run: (erasure) => this.eraseFirstDeadLetters(erasure), next: 'lettersErased' },
    lettersErased: { run: (erasure) => this.list(erasure), next: 'listed' },
    listed: { run: (erasure) => this.exclusive(() => this.removeFromStore(erasure)), next: 'removed' },
    removed: { run: async (erasure) => ({ cache_entries: this.ports.targets.responses.count(erasure) }), next: 'cacheCounted' },
    cacheCounted: { run: (erasure) => this.eraseResponses(erasure), next: 'cacheErased' },
    cacheErased: { run: (erasure) => this.recountDeadLetters(erasure), next: 'lettersRecounted' },
    lettersRecounted: { run: (erasure) => this.eraseDeadLetters(erasure), next: 'done' },
  };

  constructor(ports: ErasurePorts, maxRunning = defaultMaxRunning) {
    this.ports = ports;
    this.maxRunning = maxRunning;
  }

  /** Resumes interrupted erasures; call it before anything is stored. */
  async resume(): Promise<void> {
    for (const erasure of await this.ports.repository.unfinished()) this.run(erasure);
  }

  /**
   * Erases a user, or joins the running erasure. @param maxMs how long to wait for its end. @returns the receipt, which is kept until
   * `acknowledge`; undefined when it is not done yet. @throws GatelogError `erasure_in_progress` when it would be a new one and too many
   * run.
   */
  async erase(organizationId: OrganizationId, userId: string, maxMs: number): Promise<ErasureReceipt | undefined> {
    const erasure = await this.ports.repository.order(organizationId, userId, this.running.size < this.maxRunning);
    if (erasure === undefined) throw new GatelogError('erasure_in_progress', 'Too many erasures are running. Try again later.');
    if (isDone(erasure)) return erasure;
    const { done } = this.running.get(erasure.number) ?? this.run(erasure);
    const expired = new AbortController();
    const timeout = wait(maxMs, undefined, { signal: expired.signal }).catch(() => undefined);
    // It ends without a receipt only on a stop; the next start resumes it.
    const ended = done.catch(() => undefined);
    try {
      return await Promise.race([ended, timeout]);
    } finally {
      expired.abort();
    }
  }

  /** The receipt was delivered: the next order for the user is a new erasure. */
  async acknowledge({ number }: Erasure): Promise<void> {
    await this.ports.repository.forget(number);
  }

  /**
   * Runs `work` while no erasure starts to change stored data or stores its progress. Changes that have begun go on.
   *
   * Invariant for copies: copy the progress of erasures before the store; the copy then resumes the erasures in it. An erasure missing from
   * the copied metadata has removed nothing from the copied store; while a record to be removed is in the copy, so is the list with it.
   */
  async withPaused<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.pause !== undefined) throw new Error('the erasures stand still already');
    const done = work().finally(() => {
      this.pause = undefined;
    });
    this.pause = done.catch(() => undefined);
    return done;
  }

  /** Leaves running erasures to the next start. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('the erasures are stopping'));
    await Promise.allSettled([...this.running.values()].map(({ done }) => done));
  }

  private run(erasure: Erasure): Running {
    this.ports.targets.ingest.begin(erasure);
    const done = this.runWithRetries(erasure).finally(() => {
      this.ports.targets.ingest.end(erasure);
      this.running.delete(erasure.number);
    });
    // Not every caller waits for it.
    done.catch(() => undefined);
    const running = { erasure, done };
    this.running.set(erasure.number, running);
    return running;
  }

  private async runWithRetries(ordered: Erasure): Promise<ErasureReceipt> {
    const backoff = makeBackoff(firstRetryMs, maxRetryMs);
    for (let erasure = ordered; ;) {
      try {
        const { stage } = erasure;
        if (stage === 'done') return { ...erasure, stage };
        erasure = await this.takeStep(erasure, stage);
        backoff.reset();
      } catch (error) {
        this.stopping.signal.throwIfAborted();
        const retryInMs = backoff.nextDelayMs();
        this.ports.observe({ kind: 'erasure_failed', reason: failureText(error), retryInMs });
        await wait(retryInMs, undefined, { signal: this.stopping.signal });
      }
    }
  }

  private async takeStep(erasure: Erasure, stage: Exclude<ErasureStage, 'done'>): Promise<Erasure> {
    const { next, run } = this.steps[stage];
    const counts = await run(erasure);
    await this.whenResumed();
    await this.ports.repository.advance(erasure.number, { stage: next, ...counts });
    const advanced = { ...erasure, stage: next, counts: { ...erasure.counts, ...counts } };
    const { requests, spool_records: spoolRecords } = advanced.counts;
    if (next === 'done') this.ports.observe({ kind: 'user_erased', requests, spoolRecords });
    return advanced;
  }

  private async countDeadLetters(erasure: Erasure): Promise<Partial<ErasureCounts>> {
    return { dead_letters: erasure.counts.dead_letters + (await this.ports.targets.deadLetters.count(erasure)) };
  }

  private async eraseDeadLetters(erasure: Erasure): Promise<Partial<ErasureCounts>> {
    const { deadLetters, store } = this.ports.targets;
    await this.whenResumed();
    const erased = await deadLetters.erase(erasure);
    // The store has masked these rows; their files must be removed too, also those of letters removed by an earlier attempt.
    if (erased > 0 || erasure.counts.dead_letters > 0) await this.exclusive(() => store.removeFiles(erasure, this.stopping.signal));
    return {};
  }

  /** A letter may have arrived since the count. */
  private async eraseFirstDeadLetters(erasure: Erasure): Promise<Partial<ErasureCounts>> {
    await this.whenResumed();
    return { dead_letters: Math.max(erasure.counts.dead_letters, await this.ports.targets.deadLetters.erase(erasure)) };
  }

  private async eraseResponses(erasure: Erasure): Promise<Partial<ErasureCounts>> {
    this.ports.targets.responses.forget(erasure);
    return {};
  }

  /** Replayed letters may have become records, and pending exchanges letters. */
  private async recountDeadLetters(erasure: Erasure): Promise<Partial<ErasureCounts>> {
    const { repository, targets } = this.ports;
    await targets.waitForSpoolDrain(erasure, this.stopping.signal);
    const deadLetters = await this.countDeadLetters(erasure);
    return { ...deadLetters, spool_records: await repository.countErased(erasure.number) };
  }

  private async list(erasure: Erasure): Promise<Partial<ErasureCounts>> {
    const { repository, targets } = this.ports;
    await targets.waitForSpoolDrain(erasure, this.stopping.signal);
    await this.whenResumed();
    const found = await targets.store.list(erasure, this.stopping.signal);
    return { ...found, spool_records: await repository.countErased(erasure.number) };
  }

  private async removeFromStore(erasure: Erasure): Promise<Partial<ErasureCounts>> {
    const { store, whenChangesAreOver } = this.ports.targets;
    const { signal } = this.stopping;
    await this.whenResumed();
    await store.removeRequests(erasure, signal);
    // A change that found its request earlier may still write its history.
    await whenChangesAreOver(erasure.organizationId);
    await this.removeDeliveries(erasure);
    await this.whenResumed();
    await store.removeRest(erasure, signal);
    await this.whenResumed();
    await store.removeFiles(erasure, signal);
    return {};
  }

  /** Invariant: after the requests, from which payloads are made, and before the list of them. */
  private async removeDeliveries(erasure: Erasure): Promise<void> {
    const { store, deliveries } = this.ports.targets;
    const { organizationId, userId } = erasure;
    await this.whenResumed();
    await deliveries.settle(organizationId);
    for (let behind: RequestId | undefined; ;) {
      const listed = await store.readList(erasure, behind, this.stopping.signal);
      behind = listed.at(-1);
      if (behind === undefined) break;
      await this.whenResumed();
      await deliveries.ofRequests(organizationId, listed);
    }
    await this.whenResumed();
    await deliveries.mentions(organizationId, userId);
  }

  /** @throws the abort reason on a stop. */
  private async whenResumed(): Promise<void> {
    const { signal } = this.stopping;
    while (this.pause !== undefined && !signal.aborted) await Promise.race([this.pause, this.stopped]);
    signal.throwIfAborted();
  }

  /**
   * Runs work that rewrites parts of the store, one at a time, in the order of the calls. @throws the abort reason on a stop
   * before.
   */
  async exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.storeQueue.then(() => {
      this.stopping.signal.throwIfAborted();
      return work();
    });
    this.storeQueue = result.catch((error: unknown) => messageOf(error));
    return result;
  }
}

function isDone(erasure: Erasure): erasure is ErasureReceipt {
  return erasure.stage === 'done';
}
