import { setTimeout as wait } from 'node:timers/promises';
import path from 'node:path';
import { messageOf } from '../model/errors.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { Observe } from '../model/observation.ts';
import { makeBackoff } from '../platform/backoff.ts';
import type { Clock } from '../platform/clock.ts';
import type { Checkpoint, CheckpointFile } from '../spool/checkpoint.ts';
import { listSeries } from '../spool/segment.ts';
import type { InsertRows } from '../store/insert.ts';
import { acceptedAfter, type Batch, type BatchLimits, formBatch, repeatBatch, startOfSeries } from './batch.ts';
import type { KeepDeadLetter } from './dead-letter.ts';
import type { Interpret, InterpretTask } from './interpreter.ts';
import { InFlight, type OpenExchange } from './open-exchange.ts';
import type { PendingUpdates } from './pending-updates.ts';
import { SeriesTail } from './series-tail.ts';
import { type StorableRow, storeRows } from './store-batch.ts';

/** What the drain needs from the rest of the program. */
export interface DrainPorts {
  readonly spoolFolder: string;
  /** The spool's identity: part of every deduplication token. */
  readonly spoolId: string;
  readonly checkpoint: CheckpointFile;
  readonly interpret: Interpret;
  readonly insert: InsertRows;
  readonly pendingUpdates: PendingUpdates;
  /** Declared property names of one organisation, by lower-case name. */
  readonly declaredNames: (organizationId: OrganizationId) => Promise<ReadonlyMap<string, string>>;
  readonly keepDeadLetter: KeepDeadLetter;
  readonly limits: BatchLimits;
  /** Longest time between two batches while exchanges wait, milliseconds. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly observe: Observe;
}

const idleMs = 20;
const writerCheckMs = 500;
/** Failures shorter than this are retries, not a state. */
const failingMs = 2000;
/** Read in one go before the event loop gets its turn. */
const turnBytes = 4 * 1024 * 1024;

/**
 * Empties the spool into the store: follow every series, form a batch, write down its bounds, interpret, insert, accept, delete.
 *
 * Invariant: a segment is deleted only after the store has accepted every exchange in it, and a batch is repeated with the bounds and the
 * token it had before a crash, so that the store takes each exchange exactly once.
 */
export class Drain {
  readonly inFlight = new InFlight();
  private readonly ports: DrainPorts;
  private readonly tails = new Map<string, SeriesTail>();
  private checkpoint: Checkpoint;
  private readonly stopping = new AbortController();
  /** Set when only what is there already is to be stored. */
  private finishing = false;
  private running: Promise<void> | undefined;
  private lastBatchAt = Number.NEGATIVE_INFINITY;
  private lastWriterCheckAt = Number.NEGATIVE_INFINITY;
  private failingSince: number | undefined;

  constructor(ports: DrainPorts) {
    const observe: Observe = (observation) => {
      if (observation.kind === 'batch_failed') this.failingSince ??= ports.clock.monotonic();
      ports.observe(observation);
    };
    this.ports = { ...ports, observe };
    this.checkpoint = ports.checkpoint.load();
  }

  start(): void {
    this.running ??= this.loop();
  }

  /** Stores all that has ended so far, then stops; gives up after `mostMs`, which leaves the rest in the spool. */
  async stop(mostMs: number): Promise<void> {
    this.finishing = true;
    const timer = setTimeout(() => this.stopping.abort(new Error('the drain was told to stop')), mostMs);
    await this.running;
    clearTimeout(timer);
    for (const tail of this.tails.values()) tail.close();
  }

  /** Reads everything that is in the spool now, so that an exchange whose identifier is known to a caller is known here. */
  catchUp(): void {
    this.findSeries();
    for (const tail of this.tails.values()) while (tail.read(turnBytes) > 0);
  }

  /** False when batches have failed for a while and none has been stored since. */
  isDraining(): boolean {
    return this.failingSince === undefined || this.ports.clock.monotonic() - this.failingSince < failingMs;
  }

  /** Exchanges that have ended and wait for the store. */
  waitingCount(): number {
    let count = 0;
    for (const tail of this.tails.values()) count += tail.waiting().length;
    return count;
  }

  private async loop(): Promise<void> {
    const backoff = makeBackoff(100, 5000);
    while (!this.stopping.signal.aborted) {
      try {
        const busy = await this.turn();
        backoff.reset();
        if (!busy && this.finishing) return;
        if (!busy) await wait(idleMs);
      } catch (error) {
        if (this.stopping.signal.aborted) return;
        const retryInMs = backoff.nextMs();
        this.ports.observe({ kind: 'batch_failed', reason: messageOf(error), retryInMs });
        await wait(retryInMs);
      }
    }
  }

  /** One round. @returns whether there was something to do. */
  private async turn(): Promise<boolean> {
    this.findSeries();
    this.checkWriters();
    let bytes = 0;
    for (const tail of this.tails.values()) bytes += tail.read(turnBytes);
    const batch = this.nextBatch();
    if (batch === undefined) {
      this.removeFinished();
      return bytes > 0 || this.checkpoint.intended !== undefined;
    }
    await this.storeBatch(batch);
    return true;
  }

  /** The batch that a crash interrupted comes first, then what is waiting, when it is enough or has waited long enough. */
  private nextBatch(): Batch | undefined {
    const tails = [...this.tails.values()];
    const { intended, lastBatch, accepted } = this.checkpoint;
    if (intended !== undefined) return repeatBatch(intended, tails);
    const due = this.finishing || this.ports.clock.monotonic() - this.lastBatchAt >= this.ports.intervalMs;
    if (!due && this.waitingCount() < this.ports.limits.mostRows) return undefined;
    return formBatch(lastBatch + 1, tails, accepted, this.ports.limits);
  }

  private async storeBatch(batch: Batch): Promise<void> {
    const startedAt = this.ports.clock.monotonic();
    this.lastBatchAt = startedAt;
    this.saveCheckpoint({ ...this.checkpoint, intended: batch.bounds });
    await seal(batch.exchanges);
    const updates = await this.ports.pendingUpdates.listFor(batch.exchanges);
    const interpreted = await this.ports.interpret(await this.tasksOf(batch, updates), this.ports.clock.now());
    const rows: StorableRow[] = [];
    for (const [index, result] of interpreted.entries()) {
      if ('failure' in result) this.deadLetter(batch.exchanges[index], result.failure);
      else rows.push({ index, ...result });
    }
    const options = { insert: this.ports.insert, observe: this.ports.observe, signal: this.stopping.signal };
    const refused = await storeRows(rows, `${this.ports.spoolId}-${batch.bounds.batch}`, options);
    for (const [index, reason] of refused) this.deadLetter(batch.exchanges[index], reason);
    await this.accept(batch);
    const bytes = batch.exchanges.reduce((sum, exchange) => sum + exchange.bytes, 0);
    this.ports.observe({ kind: 'batch_stored', requests: rows.length, bytes, ms: Math.round(this.ports.clock.monotonic() - startedAt) });
  }

  /** The store has it: remember that first, then let go of everything that was kept for it. */
  private async accept(batch: Batch): Promise<void> {
    this.failingSince = undefined;
    this.saveCheckpoint({ lastBatch: batch.bounds.batch, accepted: acceptedAfter(this.checkpoint.accepted, batch) });
    await this.ports.pendingUpdates.removeFor(batch.exchanges);
    for (const exchange of batch.exchanges) {
      this.inFlight.remove(exchange);
      exchange.markStored();
    }
    for (const { tail, count } of batch.taken) tail.accept(count);
    this.removeFinished();
  }

  private async tasksOf(batch: Batch, updates: ReadonlyMap<OpenExchange, readonly ReadonlyMap<string, string>[]>): Promise<InterpretTask[]> {
    const namesByOrganization = new Map<OrganizationId, ReadonlyMap<string, string>>();
    for (const { organizationId } of batch.exchanges) {
      if (!namesByOrganization.has(organizationId)) namesByOrganization.set(organizationId, await this.ports.declaredNames(organizationId));
    }
    return batch.exchanges.map((exchange) => ({
      seriesFolder: path.join(this.ports.spoolFolder, exchange.series),
      frames: exchange.frames,
      declaredNames: namesByOrganization.get(exchange.organizationId),
      updates: updates.get(exchange) ?? [],
    }));
  }

  private deadLetter(exchange: OpenExchange | undefined, reason: string): void {
    if (exchange === undefined) return;
    this.ports.keepDeadLetter(exchange, path.join(this.ports.spoolFolder, exchange.series), reason);
    this.ports.observe({ kind: 'exchange_dead_lettered', requestId: exchange.requestId, reason });
  }

  private findSeries(): void {
    for (const series of listSeries(this.ports.spoolFolder)) {
      if (this.tails.has(series)) continue;
      const accepted = this.checkpoint.accepted[series] ?? startOfSeries;
      const sealedTo = this.checkpoint.intended?.series[series]?.to;
      const { spoolFolder, observe } = this.ports;
      this.tails.set(series, new SeriesTail({ spoolFolder, series, accepted, sealedTo, inFlight: this.inFlight, observe }));
    }
  }

  private checkWriters(): void {
    const now = this.ports.clock.monotonic();
    if (now - this.lastWriterCheckAt < writerCheckMs) return;
    this.lastWriterCheckAt = now;
    for (const tail of this.tails.values()) tail.checkWriter();
  }

  /** Deletes series that are stored whole. Their entry leaves the checkpoint only after their folder is gone. */
  private removeFinished(): void {
    for (const [series, tail] of this.tails) {
      if (!tail.isFinished()) continue;
      tail.remove();
      this.tails.delete(series);
      const { [series]: _removed, ...accepted } = this.checkpoint.accepted;
      if (this.checkpoint.intended === undefined) this.saveCheckpoint({ ...this.checkpoint, accepted });
    }
  }

  private saveCheckpoint(checkpoint: Checkpoint): void {
    this.ports.checkpoint.save(checkpoint);
    this.checkpoint = checkpoint;
  }
}

/** From here on an update of one of these waits until it is stored. Updates that are being written are let in first. */
async function seal(exchanges: readonly OpenExchange[]): Promise<void> {
  for (const exchange of exchanges) {
    while (exchange.updatesUnderWay.size > 0) await Promise.allSettled(exchange.updatesUnderWay);
    exchange.state = 'sealed';
  }
}
