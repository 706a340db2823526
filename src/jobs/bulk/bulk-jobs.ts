import { setTimeout as wait } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { addJob, advanceJob, findJob, listJobs, listUnfinishedJobs } from '../../metadata/jobs.ts';
import type { Job, JobId, JobOrder } from '../../model/jobs/job.ts';
import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import { makeBackoff } from '../../platform/backoff.ts';
import { systemClock } from '../../platform/clock.ts';
import { failureText } from '../../store/engine/failure.ts';
import type { BulkJobDependencies } from './dependencies.ts';
import { changeChunk, isThrough, listRequests, startJob, type StartedJob, storeJob } from './run-job.ts';

export interface BulkJobOptions {
  /** Unfinished jobs of one organisation, the running one included. */
  readonly maxUnfinished?: number;
  /** Requests that one job may cover. */
  readonly maxRequests?: number;
  /** Share of the time in which chunks run; queries and calls get the rest. */
  readonly workingShare?: number;
}

const defaultOptions: Required<BulkJobOptions> = { maxUnfinished: 20, maxRequests: 10_000_000, workingShare: 0.5 };
const minPauseMs = 5;
const firstRetryMs = 200;
const maxRetryMs = 30_000;
/** Failures of the query itself, which a retry would meet again. */
const lasting: ReadonlySet<string> = new Set([
  'invalid_filter',
  'query_too_large',
  'query_timeout',
  'not_found',
  'internal',
  'store_damaged',
]);

/**
 * Changes properties of many stored requests, as durable jobs: one of an organisation at a time, in the order in which they came.
 *
 * A job gets its number, then lists the requests that match (`store/bulk/job-lists.ts`), then changes them in chunks, each with its
 * progress. A crash repeats at most the last chunk, which changes nothing twice (`store/bulk/decide.ts`). Chunks of all organisations take
 * turns, with pauses.
 */
export class BulkJobs {
  private readonly dependencies: BulkJobDependencies;
  private readonly options: Required<BulkJobOptions>;
  private readonly queues = new Map<OrganizationId, Job[]>();
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private turns: Promise<unknown> = Promise.resolve();

  constructor(dependencies: BulkJobDependencies, options: BulkJobOptions = {}) {
    this.dependencies = dependencies;
    this.options = { ...defaultOptions, ...options };
  }

  async resume(): Promise<void> {
    const { database, changer } = this.dependencies;
    const unfinished = await listUnfinishedJobs(database);
    const { number: before } = changer.stamp();
    const running = new Set(unfinished.map(({ number }) => number));
    // Later jobs have greater numbers.
    this.track(this.dropLists((number) => number < before && !running.has(number)));
    for (const job of unfinished) this.enqueue(job);
  }

  /**
   * Orders a job; durable on return. What it writes is redacted first, so that the order does not keep it either.
   * @throws GatelogError `service_busy` when too many wait, or when the redaction rules cannot be applied.
   */
  async order({ organizationId, keyId }: Principal, given: JobOrder): Promise<Job> {
    const { maxUnfinished } = this.options;
    const order = await this.redacted(organizationId, given);
    const added = { id: uuidv7() as JobId, organizationId, keyId, order, at: systemClock.now() };
    const job = await addJob(this.dependencies.database, added, maxUnfinished);
    if (job === undefined) {
      throw new GatelogError('service_busy', `${maxUnfinished} jobs of this organisation wait already. Try again when one has ended.`, {
        retryAfterSeconds: 30,
      });
    }
    this.enqueue(job);
    return job;
  }

  private async redacted(organizationId: OrganizationId, order: JobOrder): Promise<JobOrder> {
    if (order.kind === 'undo') return order;
    const set = await this.dependencies.changer.laterTexts.properties(organizationId, order.properties.set);
    return { ...order, properties: { ...order.properties, set } };
  }

  /**
   * Orders the undo of a job that has ended, or returns the one that was ordered before.
   * @returns undefined for an unknown job. @throws GatelogError `invalid_parameter` when there is nothing to undo.
   */
  async undo(principal: Principal, id: JobId): Promise<Job | undefined> {
    const job = await this.find(principal.organizationId, id);
    if (job === undefined) return undefined;
    if (job.undoneBy !== null) return this.find(principal.organizationId, job.undoneBy);
    if (job.endedAt === null) throw new GatelogError('invalid_parameter', `The job ${id} has not ended. Cancel it first, or wait.`);
    if (job.number === null) throw new GatelogError('invalid_parameter', `The job ${id} never started, so there is nothing to undo.`);
    return this.order(principal, { kind: 'undo', undoes: id });
  }

  /** Ends a job after its present chunk; what it has changed stays. @returns the job; undefined for an unknown one. */
  async cancel(organizationId: OrganizationId, id: JobId): Promise<Job | undefined> {
    // In a turn, so that the outcomes of a running chunk are counted.
    await this.turn(async () => {
      const job = await this.find(organizationId, id);
      if (job !== undefined) await advanceJob(this.dependencies.database, id, { state: 'cancelled', endedAt: systemClock.now() });
    });
    return this.find(organizationId, id);
  }

  /** @returns undefined for an unknown job. */
  find(organizationId: OrganizationId, id: JobId): Promise<Job | undefined> {
    return findJob(this.dependencies.database, organizationId, id);
  }

  /** Newest first. */
  list(organizationId: OrganizationId, page: { readonly limit: number; readonly offset: number }): Promise<readonly Job[]> {
    return listJobs(this.dependencies.database, organizationId, page);
  }

  /** Runs `work`, which copies metadata and store, between two chunks. */
  withPaused<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.turn(work);
  }

  /** Leaves running jobs to the next start. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('the jobs are stopping'));
    await Promise.allSettled(this.running);
  }

  private enqueue(job: Job): void {
    const queue = this.queues.get(job.organizationId);
    if (queue !== undefined) {
      queue.push(job);
      return;
    }
    this.queues.set(job.organizationId, [job]);
    this.track(this.runQueue(job.organizationId));
  }

  private track(work: Promise<void>): void {
    this.running.add(work);
    void work.catch(() => undefined).finally(() => this.running.delete(work));
  }

  private async runQueue(organizationId: OrganizationId): Promise<void> {
    const queue = this.queues.get(organizationId) ?? [];
    for (let job = queue[0]; job !== undefined; job = queue[0]) {
      await this.runWithRetries(job);
      queue.shift();
    }
    this.queues.delete(organizationId);
  }

  /** Ends when the job has ended. @throws the abort reason on a stop. */
  private async runWithRetries({ organizationId, id }: Job): Promise<void> {
    const { observe } = this.dependencies;
    const { signal } = this.stopping;
    const backoff = makeBackoff(firstRetryMs, maxRetryMs);
    for (;;) {
      try {
        const job = await this.find(organizationId, id);
        if (job?.endedAt === null) await this.run(job, backoff.reset);
        return;
      } catch (error) {
        signal.throwIfAborted();
        observe({ kind: 'job_failed', job: 'a bulk change', reason: failureText(error) });
        const failed = await this.recordFailure(organizationId, id, error);
        if (failed !== undefined) return this.dropLists((number) => number === failed.number);
        await wait(backoff.nextDelayMs(), undefined, { signal });
      }
    }
  }

  /** @returns the job when it has failed for good. */
  private async recordFailure(organizationId: OrganizationId, id: JobId, error: unknown): Promise<Job | undefined> {
    const isLasting = error instanceof GatelogError ? lasting.has(error.code) : false;
    const message = error instanceof GatelogError ? error.message : 'The service failed.';
    try {
      await advanceJob(this.dependencies.database, id, {
        error: message,
        ...(isLasting ? { state: 'failed', endedAt: systemClock.now() } : {}),
      });
      return isLasting ? await this.find(organizationId, id) : undefined;
    } catch {
      // The metadata database is away: the next attempt decides again.
      return undefined;
    }
  }

  private async run(found: Job, recordProgress: () => void): Promise<void> {
    const { dependencies } = this;
    const started = isStarted(found) ? found : await startJob(dependencies, found);
    if (started === undefined) return;
    const { signal } = this.stopping;
    const listed = started.total === null ? await listRequests(dependencies, started, { ...this.options, signal }) : started;
    if (listed !== undefined) await this.changeAll(listed, recordProgress);
    await dependencies.store.jobLists.drop(started.number);
    await advanceJob(dependencies.database, started.id, { state: 'done', endedAt: systemClock.now(), error: null });
  }

  private async changeAll(job: StartedJob, recordProgress: () => void): Promise<void> {
    const { dependencies } = this;
    const stored = await storeJob(dependencies, job);
    for (let left: StartedJob | undefined = job; left !== undefined && !isThrough(left);) {
      const current: StartedJob = left;
      left = await this.chunkTurn(() => changeChunk(dependencies, current, stored));
      recordProgress();
    }
  }

  /** A chunk, and the pause behind it. */
  private chunkTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const { monotonic } = systemClock;
    const { workingShare } = this.options;
    const { signal } = this.stopping;
    return this.turn(async () => {
      const began = monotonic();
      const result = await work();
      const pauseMs = Math.max(minPauseMs, ((monotonic() - began) * (1 - workingShare)) / workingShare);
      await wait(pauseMs, undefined, { signal });
      return result;
    });
  }

  /** @throws the abort reason on a stop. */
  private turn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.turns.then(() => {
      this.stopping.signal.throwIfAborted();
      return work();
    });
    this.turns = result.catch(() => undefined);
    return result;
  }

  /** A failure leaves lists to the next start. */
  private async dropLists(isSpent: (number: number) => boolean): Promise<void> {
    const { store, observe } = this.dependencies;
    try {
      for (const number of await store.jobLists.numbers()) if (isSpent(number)) await store.jobLists.drop(number);
    } catch (error) {
      observe({ kind: 'job_failed', job: 'removal of lists of ended jobs', reason: failureText(error) });
    }
  }
}

function isStarted(job: Job): job is StartedJob {
  return job.number !== null && job.startedAt !== null;
}
