import { setImmediate as nextTick } from 'node:timers/promises';
import path from 'node:path';
import { GatelogError, messageOf } from '../model/errors.ts';
import type { UsageCompletion } from '../model/record/usage-completion.ts';
import type { Checkpoint } from '../spool/checkpoint.ts';
import { listSeries } from '../spool/segment.ts';
import { BatchRecordBuilder, type BatchInterpretation } from './batch/batch-record-builder.ts';
import { BatchSizer, isOversized } from './batch/batch-size.ts';
import { BatchInterval } from './batch/interval.ts';
import {
  acceptedAfter,
  type Batch,
  bytesOf,
  fillsBatch,
  formBatch,
  type NumberedBatch,
  repeatBatch,
  startOfSeries,
  type StoredBatch,
  surelyNext,
  tokenOf,
} from './batch/batch.ts';
import type { ResolvedBatch } from './once/calls-once.ts';
import { completeUsages } from './completions/complete-usage.ts';
import { findRepeated } from './batch/repeated.ts';
import { observeLeftOut, partitionResults } from './batch/results.ts';
import { DrainLoop } from './drain-loop.ts';
import type { DrainParts } from './drain-parts.ts';
import { oldestEnd } from './lag.ts';
import { numberRow } from '../store/insert/row-key.ts';
import { ExchangeIndex, type TrackedExchange, type Settlement } from './series/exchange.ts';
import { AppliedChanges } from './changes/pending.ts';
import { compactAll, SeriesTail } from './series/tail.ts';
import { readEverything, readSome } from './series/read.ts';
import type { BudgetSettlement } from './interpret/settlement.ts';
import { laterPosition, mayBeStored, type Unsure, unsureAtStart } from './batch/unsure.ts';
import { type Failure, storeRows } from './batch/insert.ts';
import { recordStored } from './record-stored.ts';

const writerCheckMs = 500;
/** Calls in a row of one caller are rarely further apart. */
const quietAfterMs = 2000;
/** Max batches read ahead of the store per series, so that a backlog stays on disk, not in memory. */
const batchesAhead = 2;

/**
 * Empties the spool into the store: follow every series, form a batch, interpret, write down its bounds, insert, accept, delete.
 *
 * Invariant: a segment is deleted only after the store has accepted every exchange in it, and a batch is repeated with the bounds and the
 * token it had before a crash, so that the store takes each exchange exactly once.
 */
export class Drain {
  readonly inFlight = new ExchangeIndex();
  private readonly parts: DrainParts;
  private readonly tails = new Map<string, SeriesTail>();
  private checkpoint: Checkpoint;
  private readonly unsure: Unsure;
  private readonly loop: DrainLoop;
  private readonly batchSize: BatchSizer;
  private readonly interpreter: BatchRecordBuilder;
  readonly appliedChanges: AppliedChanges;
  private readonly interval: BatchInterval;
  private lastBatchAt = Number.NEGATIVE_INFINITY;
  private lastWriterCheckAt = Number.NEGATIVE_INFINITY;
  private lastReadAt = Number.NEGATIVE_INFINITY;

  constructor(parts: DrainParts) {
    const { clock, observe } = parts;
    const isMidBatch = (): boolean => this.checkpoint.intended !== undefined;
    this.loop = new DrainLoop({ step: () => this.step(), isMidBatch, isQuiet: () => this.isQuiet(), clock, observe });
    this.parts = { ...parts, observe: this.loop.observe };
    this.appliedChanges = new AppliedChanges(this.parts);
    this.batchSize = new BatchSizer(parts.limits);
    this.interval = new BatchInterval(parts.intervalMs);
    this.interpreter = new BatchRecordBuilder(this.parts);
    this.checkpoint = parts.checkpoint.load();
    this.unsure = unsureAtStart(this.checkpoint, parts.spoolFolder);
  }

  start(): void {
    this.loop.start();
  }

  /** Stores all that has ended so far, then stops; leaves the rest in the spool after `maxMs`. */
  async stop(maxMs: number): Promise<void> {
    await this.loop.stop(maxMs);
    for (const tail of this.tails.values()) tail.close();
  }

  /**
   * Reads everything in the spool, so that every exchange whose identifier a caller has is known here.
   * @throws GatelogError `store_unavailable` when the spool has more than may be held in memory, after a long outage of the store.
   */
  async catchUp(): Promise<void> {
    this.findSeries();
    await readEverything(this.tails, this.parts.maxKnown);
  }

  /** False when batches have failed for a while and none has been stored since, and when one does not end. */
  isDraining(): boolean {
    return this.loop.isDraining();
  }

  /**
   * Runs `work` between batches: the store has exactly what the checkpoint says, and nothing leaves the spool.
   * @throws when the batch does not end within `maxMs`, or the ingest is paused already; `work` has not run then.
   */
  whilePaused<Result>(work: () => Promise<Result>, maxMs: number): Promise<Result> {
    return this.loop.whilePaused(work, maxMs);
  }

  waitingCount(): number {
    let count = 0;
    for (const tail of this.tails.values()) count += tail.waiting().length;
    return count;
  }

  waitingBytes(): number {
    return [...this.tails.values()].reduce((sum, tail) => sum + bytesOf(tail.waiting()), 0);
  }

  /** Whether an exchange of at least these bytes is on its way into the store. */
  hasWaitingOf(bytes: number): boolean {
    return [...this.tails.values()].some((tail) => tail.waiting().some((exchange) => exchange.bytes >= bytes));
  }

  /** Milliseconds since the end of the oldest waiting exchange; 0 without one. @param now Unix milliseconds. */
  oldestWaitingMs(now: number): number {
    return Math.max(0, now - oldestEnd([...this.tails.values()], now));
  }

  /** One round. @returns whether there is more to do right away. */
  private async step(): Promise<boolean> {
    this.findSeries();
    this.checkWriters();
    const more = this.readAhead();
    // A batch has a fixed cost of about 100 records, so read everything available before forming a partial one.
    if (more && this.checkpoint.intended === undefined && !fillsBatch([...this.tails.values()], this.batchSize.limits())) return true;
    const batch = this.nextBatch();
    if (batch === undefined) {
      this.removeFinished();
      return more;
    }
    await this.storeOrSplit(batch);
    await compactAll(this.tails, (series) => this.checkpoint.accepted[series] ?? startOfSeries, this.parts.observe);
    return true;
  }

  /** @returns whether there is surely more to read. */
  private readAhead(): boolean {
    const { bytes, more } = readSome(this.tails.values(), { rows: batchesAhead * this.parts.limits.maxRows, frames: this.parts.maxKnown });
    if (bytes > 0) this.lastReadAt = this.parts.clock.monotonic();
    return more;
  }

  private isQuiet(): boolean {
    return this.parts.clock.monotonic() - this.lastReadAt >= quietAfterMs && this.waitingCount() === 0;
  }

  /** The batch that a crash interrupted comes first; then waiting exchanges, once they fill a batch or have waited for the interval. */
  private nextBatch(): Batch | undefined {
    const tails = [...this.tails.values()];
    const { intended, lastBatch, accepted } = this.checkpoint;
    if (intended !== undefined) return repeatBatch(intended, tails);
    const waiting = this.waitingCount();
    if (!this.isDue(waiting)) return undefined;
    const batch = formBatch(lastBatch + 1, tails, { accepted }, this.batchSize.limits());
    if (batch !== undefined) this.parts.burst.onBatch(waiting - batch.exchanges.length);
    return batch;
  }

  private isDue(waiting: number): boolean {
    if (this.loop.isFinishing) return true;
    const hasWaited = this.parts.clock.monotonic() - this.lastBatchAt >= this.interval.ms();
    const defers = this.parts.burst.defers(waiting);
    return (hasWaited || fillsBatch([...this.tails.values()], this.batchSize.limits())) && !defers;
  }

  /**
   * A batch that is too large is replaced by a smaller one, down to the one exchange at fault.
   * Invariant: a repeated batch is never replaced, because the store may have it already.
   */
  private async storeOrSplit(batch: Batch): Promise<void> {
    const isRepeated = this.checkpoint.intended !== undefined;
    try {
      await this.storeBatch(batch);
      this.batchSize.grow();
    } catch (error) {
      if (isRepeated || !isOversized(error)) throw error;
      this.loop.signal.throwIfAborted();
      this.parts.observe({ kind: 'batch_failed', reason: `${batch.exchanges.length} exchanges at once: ${error.message}`, retryInMs: 0 });
      if (this.batchSize.shrink(batch, error)) {
        const changes = await this.parts.pendingChanges.listFor(changeable(batch.exchanges));
        const failures = new Map<number, Failure>([[0, { cause: 'too_large', reason: error.message }]]);
        const lastNumber = this.parts.storedOrder.through;
        const waiting = this.waitingCompletions();
        await this.accept({ batch, failures, changes, erased: new Map(), repeated: new Set(), waiting, lastNumber });
        this.batchSize.grow();
        return;
      }
      const { intended: _intended, ...checkpoint } = this.checkpoint;
      this.saveCheckpoint(checkpoint);
    } finally {
      this.interval.took(this.parts.clock.monotonic() - this.lastBatchAt);
      this.loop.batchEnds();
    }
  }

  private async storeBatch(formed: Batch): Promise<void> {
    const isRepeated = this.checkpoint.intended !== undefined;
    const startedAt = this.parts.clock.monotonic();
    this.lastBatchAt = startedAt;
    this.loop.batchStarts(startedAt);
    for (const exchange of formed.exchanges) await exchange.freeze();
    const changes = await this.parts.pendingChanges.listFor(changeable(formed.exchanges));
    // Its rows are in use until no insert runs any more, whatever the outcome.
    using interpreted = await (isRepeated ? this.interpreter.repeat(formed, changes) : this.interpreter.interpret(formed, changes));
    const batch = this.numbered(interpreted.batch);
    const once = await this.resolveOnce(batch, interpreted);
    const { leftOut } = once;
    const partition = partitionResults(batch.exchanges, interpreted.results, leftOut);
    observeLeftOut(partition, this.parts.observe);
    const { rows, failures, erased, repeated, settlements } = partition;
    await this.settleBudgets(settlements);
    await this.parts.erasures.save(
      [...erased].map(([exchange, erasure]) => ({ organizationId: exchange.organizationId, requestId: exchange.requestId, erasure })),
    );
    for (const { tail } of batch.taken) await tail.syncRead();
    for (const { index, rows: written } of rows) numberRow(written.request, batch.bounds.firstNumber + index);
    const intended = leftOut.size === 0 ? batch.bounds : { ...batch.bounds, leftOut: [...leftOut] };
    this.saveCheckpoint({ ...this.checkpoint, intended });
    // A failure occurs again when the next batch is interpreted itself.
    if (!isRepeated) void this.lookAhead(batch).catch(() => undefined);
    const { insert, findRows, insertsByMonth: isByMonth, observe } = this.parts;
    const isUnsure = mayBeStored(this.unsure, batch.exchanges);
    const marked = this.parts.earlierTexts.mark(rows);
    const named = { token: tokenOf(this.parts.spoolId, batch.bounds), records: batch.exchanges, isRepeated, isUnsure };
    const refused = await storeRows(rows, named, { insert, findRows, marks: marked, isByMonth, observe, signal: this.loop.signal });
    marked.keep(refused);
    await once.complete(this.loop.signal);
    const around = { ...this.parts, inFlight: this.inFlight, exchanges: batch.exchanges };
    const waiting = await completeUsages(partition, this.waitingCompletions(), around);
    const lastNumber = batch.bounds.firstNumber + batch.exchanges.length - 1;
    await this.accept({ batch, failures: new Map([...failures, ...refused]), changes, erased, repeated, waiting, lastNumber });
    this.parts.storedOrder.accept(
      lastNumber,
      rows.map(({ rows: written }) => written.request),
    );
    recordStored(batch, { rows, refused, countedBefore: once.countedBefore, startedAt }, this.parts);
  }

  private numbered({ bounds, ...batch }: Batch): NumberedBatch {
    const { storedOrder, clock } = this.parts;
    return { ...batch, bounds: { ...bounds, firstNumber: bounds.firstNumber ?? storedOrder.take(batch.exchanges.length, clock.now()) } };
  }

  /** Interprets the following batch if it is surely known. After a batch that was too large the next has another size. */
  private async lookAhead(batch: Batch): Promise<void> {
    const { limits } = this.parts;
    if (this.batchSize.limits().maxRows < limits.maxRows) return;
    const next = surelyNext(batch, [...this.tails.values()], this.checkpoint.accepted, limits);
    if (next !== undefined) await this.interpreter.lookAhead(next);
  }

  /**
   * Runs before the store has the batch: a crash in between repeats it, and settling is idempotent. A budget that cannot be settled stays
   * counted in full and delays no record.
   */
  private async settleBudgets(settlements: readonly BudgetSettlement[]): Promise<void> {
    if (settlements.length === 0) return;
    try {
      await this.parts.settleBudgets(settlements);
    } catch (error) {
      this.parts.observe({ kind: 'limits_failed', reason: messageOf(error) });
    }
  }

  /**
   * Saves that the store has the batch, then releases everything kept for it.
   * Invariant: its changes are removed after the checkpoint, which names their sequences: a repeated batch has the changes that it had,
   * and a crash leaves none of a batch that is not repeated.
   * TRICKY: nothing may fail between the checkpoint and `settle`, else the same exchanges would go into another batch.
   */
  private async accept({ batch, failures, changes, erased, repeated, waiting, lastNumber }: StoredBatch): Promise<void> {
    const spent = this.appliedChanges.with(await this.parts.pendingChanges.sequencesFor(changeable(batch.exchanges)));
    this.loop.signal.throwIfAborted();
    const deadLetters = new Map<TrackedExchange, Failure>();
    for (const [index, exchange] of batch.exchanges.entries()) {
      const failure = failures.get(index);
      if (failure === undefined) continue;
      deadLetters.set(exchange, failure);
      const seriesFolder = path.join(this.parts.spoolFolder, exchange.series);
      this.parts.deadLetters.keep({ exchange, seriesFolder, reason: failure.reason, changes: changes.get(exchange) ?? [] });
      await this.parts.deadLetterQuota.enforce();
      // Each letter blocks on two disk syncs: thousands of them must not block the event loop.
      await nextTick();
      this.loop.signal.throwIfAborted();
    }
    const accepted = acceptedAfter(this.checkpoint.accepted, batch);
    this.saveCheckpoint({ lastBatch: batch.bounds.batch, lastNumber, accepted, spent, ...(waiting.length === 0 ? {} : { waiting }) });
    await this.appliedChanges.forget(spent);
    const settlementOf = (exchange: TrackedExchange): Settlement => {
      if (deadLetters.has(exchange)) return 'dead_letter';
      if (repeated.has(exchange)) return 'repeated';
      return erased.has(exchange) ? 'erased' : 'stored';
    };
    for (const { tail, count } of batch.taken) tail.settle(count, settlementOf);
    const reason = 'it could not be interpreted or stored; the dead letter says why';
    for (const [{ requestId }, { cause }] of deadLetters) this.parts.observe({ kind: 'exchange_dead_lettered', requestId, cause, reason });
    for (const { tail } of batch.taken) tail.deleteSettled();
    this.removeFinished();
  }

  /**
   * Leaves out logged calls that are not stored because another record has their identifier, or is of the same call. Invariant: a batch
   * that is repeated leaves out what it left out before.
   */
  private async resolveOnce({ exchanges }: Batch, { results, grouped }: BatchInterpretation): Promise<ResolvedBatch> {
    const leftOutBefore = new Set(this.checkpoint.intended?.leftOut);
    // What cannot be read now, after a long outage, waits for its turn.
    const spool = { ...this.parts, readAll: () => this.catchUp().catch(unlessFull), inFlight: this.inFlight };
    const resolve = (leftOut: ReadonlySet<number>, isRepeated: boolean): Promise<ResolvedBatch> =>
      this.parts.callsOnce.resolve({ exchanges, results, leftOut, grouped, isRepeated, spool });
    if (this.checkpoint.intended !== undefined) return { ...(await resolve(leftOutBefore, true)), leftOut: leftOutBefore };
    const repeated = await findRepeated(exchanges, results, spool);
    const leftOut = new Set([...grouped.leftOut, ...repeated]);
    const once = await resolve(leftOut, false);
    return { ...once, leftOut: new Set([...leftOut, ...once.leftOut]) };
  }

  private waitingCompletions(): readonly UsageCompletion[] {
    return (this.checkpoint.waiting ?? []) as readonly UsageCompletion[];
  }

  private findSeries(): void {
    for (const series of listSeries(this.parts.spoolFolder)) {
      if (this.tails.has(series)) continue;
      const accepted = this.checkpoint.accepted[series] ?? startOfSeries;
      const frozenTo = laterPosition(this.checkpoint.intended?.series[series]?.to, this.unsure[series]);
      const { spoolFolder, observe } = this.parts;
      this.tails.set(series, new SeriesTail({ spoolFolder, series, accepted, frozenTo, inFlight: this.inFlight, observe }));
    }
  }

  private checkWriters(): void {
    const now = this.parts.clock.monotonic();
    if (now - this.lastWriterCheckAt < writerCheckMs) return;
    this.lastWriterCheckAt = now;
    for (const tail of this.tails.values()) {
      tail.checkWriter();
      // A segment that was closed while no record came is deleted now, not with the next record.
      if (tail.waiting().length === 0) tail.deleteSettled();
    }
  }

  /** Deletes completely stored series. Their entries leave the checkpoint only after their folders are gone; during a batch both stay. */
  private removeFinished(): void {
    const { accepted, intended } = this.checkpoint;
    if (intended !== undefined) return;
    for (const [series, tail] of this.tails) {
      if (!tail.isFinished()) continue;
      tail.remove();
      this.tails.delete(series);
    }
    const remaining = Object.entries(accepted).filter(([series]) => this.tails.has(series));
    if (remaining.length < Object.keys(accepted).length) {
      this.saveCheckpoint({ ...this.checkpoint, accepted: Object.fromEntries(remaining) });
    }
  }

  /** Invariant: no step goes on from a checkpoint that a full disk refused; the batch that it accepts would be stored again as another. */
  private saveCheckpoint(checkpoint: Checkpoint): void {
    const withUnsure = Object.keys(this.unsure).length === 0 ? checkpoint : { ...checkpoint, unsure: this.unsure };
    this.parts.checkpoint.save(withUnsure);
    this.checkpoint = withUnsure;
  }
}

/** Those whose changes go into their records. */
function changeable(exchanges: readonly TrackedExchange[]): readonly TrackedExchange[] {
  return exchanges.filter((exchange) => !exchange.mayRepeat());
}

function unlessFull(error: unknown): void {
  if (!(error instanceof GatelogError)) throw error;
}
