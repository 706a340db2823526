import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { readRecordStore, type RecordStore, saveRecordStore } from '../../metadata/record-store.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { HasFreeSpace } from '../../platform/disk-space.ts';
import { ensureFolder } from '../../platform/files.ts';
import type { CopyRound } from '../../store/copy/copy-store.ts';
import { failureText } from '../../store/engine/failure.ts';
import type { HeldWrites } from '../../store/engine/write-gate.ts';
import type { Store } from '../../store/store.ts';
import { locationText } from './record-store.ts';
import { assertTarget, nextMove, type Reach } from './target.ts';

export interface StoreCopyPorts {
  readonly store: Store;
  readonly database: MetadataDatabase;
  readonly observe: Observe;
  readonly clock: Clock;
  /** Of the store that has the records. */
  readonly location: string;
  /** For the rows that are on their way, in the data folder. */
  readonly folder: string;
  /** Of its disk. */
  readonly hasFreeSpace: HasFreeSpace;
  /** Runs while nothing enters the store from the spool, and no job or removal changes it. */
  readonly whilePaused: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** The other store. */
export interface CopyTarget {
  readonly store: Store;
  /** Brings its tables up to date. */
  readonly prepare: () => Promise<void>;
}

export interface CopyOrder {
  /** Where to, in words. */
  readonly location: string;
  /** @throws where it cannot be reached. */
  readonly open: () => Promise<CopyTarget>;
  /** The records are there from then on. */
  readonly isSwitching: boolean;
  /** Changes wait so long at most while the last differences are copied. */
  readonly maxHeldMs: number;
}

interface Copying {
  readonly state: 'copying';
  readonly location: string;
  /** From 1; of the last one, while changes wait, 0. */
  readonly round: number;
  /** What this round has copied. */
  readonly pieces: number;
  readonly rows: number;
  /** What it compares, and of which day. */
  readonly table: string;
  readonly at: number;
}

interface Copied {
  readonly state: 'equal' | 'moved';
  readonly location: string;
  readonly days: number;
  readonly rows: number;
  readonly at: number;
}

/** What a copy has come to. Times are Unix milliseconds. */
export type CopyState =
  | { readonly state: 'none' }
  | Copying
  | Copied
  | { readonly state: 'failed'; readonly location: string; readonly reason: string; readonly mayTryAgain: boolean };

/** Rounds while everything goes on, at most: each has less to copy than the one before. */
const maxRounds = 20;
/** So long it is tried to hold changes for the last round. */
const triedForMs = 3_600_000;
const betweenTriesMs = 10_000;
/** Clocks of what is stored and of this process differ by less. */
const clocksMs = 3_600_000;
/** A statement that runs when the service stops is not waited for any longer. */
const stopMs = 1000;

/** Both stores when a round began. */
interface Compared {
  readonly round: CopyRound;
  readonly startedAt: number;
  /** Of rows of bodies, by then. */
  readonly removals: number;
}

interface Running {
  readonly order: CopyOrder;
  readonly done: Promise<void>;
  readonly cancel: AbortController;
}

/**
 * Copies the records to another store while calls and changes go on, and moves them there: in rounds, each of which copies what differs
 * still; the last one while writes are held. After a crash a new order goes on, because a round asks both stores what they have.
 *
 * Invariant: the metadata names the store that has the records. It names the other one once both are equal and every write to the first is
 * refused, for good; from then on a start with the first is refused as well.
 */
export class StoreCopies {
  private readonly ports: StoreCopyPorts;
  private readonly stopping = new AbortController();
  private current: CopyState = { state: 'none' };
  private running: Running | undefined;

  constructor(ports: StoreCopyPorts) {
    this.ports = ports;
    // Rows that were on their way when the process was killed.
    rmSync(ports.folder, { recursive: true, force: true });
  }

  get state(): CopyState {
    return this.current;
  }

  /** Begins a copy, unless the same one runs. @throws GatelogError when another one runs, or the records have moved. */
  start(order: CopyOrder): void {
    if (this.current.state === 'moved') throw hasMoved(this.current);
    if (this.running !== undefined) {
      const { order: runs } = this.running;
      if (runs.location === order.location && runs.isSwitching === order.isSwitching) return;
      throw new GatelogError(
        'invalid_parameter',
        `Records are being copied to ${locationText(runs.location)}. Wait for the end, or stop it with --stop.`,
      );
    }
    const cancel = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, cancel.signal]);
    this.note(order, { round: 1, pieces: 0, rows: 0, table: '', at: 0 });
    const done = this.run(order, signal)
      .then((state) => this.end(state))
      .catch((error: unknown) => {
        const reason: unknown = signal.aborted ? signal.reason : error;
        this.end(failedState(order, reason));
        this.ports.observe({ kind: 'job_failed', job: 'copy of the store', reason: failureText(reason) });
      });
    this.running = { order, done, cancel };
  }

  /** Leaves a copy where it is; the records stay where they are. @returns whether one ran. @throws GatelogError when they have moved. */
  async cancel(): Promise<boolean> {
    const { running } = this;
    if (this.current.state === 'moved') throw hasMoved(this.current);
    running?.cancel.abort(new GatelogError('invalid_parameter', 'It was stopped.'));
    await running?.done;
    return running !== undefined;
  }

  /** For the end of the service. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('the service is stopping'));
    await Promise.race([this.running?.done, wait(stopMs, undefined, { ref: false })]);
  }

  private end(state: CopyState): void {
    this.current = state;
    this.running = undefined;
  }

  private note({ location }: CopyOrder, at: Omit<Copying, 'state' | 'location'>): void {
    this.current = { state: 'copying', location, ...at };
  }

  private async run(order: CopyOrder, signal: AbortSignal): Promise<Copied> {
    const { folder } = this.ports;
    const target = await order.open();
    try {
      signal.throwIfAborted();
      ensureFolder(folder);
      await this.accept(target);
      return await this.copy(target.store, order, signal);
    } finally {
      await target.store.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  private async noted(): Promise<RecordStore> {
    const { store, database, location, clock } = this.ports;
    const noted = await readRecordStore(database);
    return noted ?? { storeId: await store.copy.identities.name(), location, since: clock.now() };
  }

  /** Nothing is written to the other store before. @throws GatelogError for one into which this one may not be copied. */
  private async accept({ store: target, prepare }: CopyTarget): Promise<void> {
    const { store } = this.ports;
    const { storeId: own, movingTo } = await this.noted();
    const [here, there] = [await store.copy.identities.read(), await target.copy.identities.read()];
    // A copy that never had the records may be of an earlier version, and is asked no more.
    const reach = { here: await reachOf(store), there: there.move === undefined ? nowhere : await reachOf(target) };
    assertTarget({ own, here, there, movingTo, reach });
    await prepare();
    if (store.copy.isBeingUpgraded() || target.copy.isBeingUpgraded()) {
      throw new GatelogError('store_unavailable', 'An upgrade is still moving bodies (see GET /v1/health): begin when it is done.');
    }
    // In this order: one that is killed in between is a copy without a name.
    await target.copy.identities.markCopy([own, ...here.copyOf].filter((id) => id !== there.id));
    await target.copy.identities.name();
  }

  private async copy(target: Store, order: CopyOrder, signal: AbortSignal): Promise<Copied> {
    let compared = await this.rounds(target, order, { signal });
    await target.copy.dropHidden(signal);
    if (!order.isSwitching) return { state: 'equal', location: order.location, ...sizeOf(compared.round), at: compared.startedAt };
    const until = performance.now() + triedForMs;
    for (;;) {
      const round = await this.move(target, order, { compared, signal });
      if (round !== undefined) {
        const moved: Copied = { state: 'moved', location: order.location, ...sizeOf(round), at: this.ports.clock.now() };
        this.current = moved;
        // What the last round has hidden is dropped by merges where this does not come to its end.
        await target.copy.dropHidden(this.stopping.signal).catch(() => undefined);
        return moved;
      }
      if (performance.now() > until) throw tooMuch(order);
      await wait(betweenTriesMs, undefined, { signal });
      compared = await this.rounds(target, order, { signal, before: compared });
    }
  }

  /** Rounds until one has taken a third of the time for which changes may wait, and no row of bodies was removed during it. */
  private async rounds(target: Store, order: CopyOrder, { signal, before }: Rounds): Promise<Compared> {
    const { store, clock } = this.ports;
    let last = before;
    for (let number = 1; number <= maxRounds; number += 1) {
      const [startedAt, removals, began] = [clock.now(), store.bodyRemovals(), performance.now()];
      const comparedAt = last?.removals === removals ? last.startedAt - clocksMs : undefined;
      const round = await this.round(target, order, { number, signal, comparedAt });
      last = { round, startedAt, removals };
      if (performance.now() - began <= order.maxHeldMs / 3 && store.bodyRemovals() === removals) return last;
    }
    throw tooMuch(order);
  }

  /** @returns the last round; undefined where changes would have waited for too long. */
  private async move(target: Store, order: CopyOrder, { compared, signal }: Moving): Promise<CopyRound | undefined> {
    try {
      return await this.ports.whilePaused(async () => {
        const late = AbortSignal.timeout(order.maxHeldMs);
        const held = await this.ports.store.copy.holdWrites(order.maxHeldMs);
        const isOver = AbortSignal.any([signal, late]);
        try {
          // A statement that does not end may not hold changes any longer.
          const round = await orAborted(this.lastRounds(target, order, { compared, signal: isOver }), isOver);
          if (round !== undefined) await this.moveTo(target, order, { held, isOver });
          return round;
        } finally {
          held.release();
        }
      });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof GatelogError && isLasting(error)) throw error;
      // Something did not come to its end: the records are where they were.
      this.ports.observe({ kind: 'job_failed', job: 'last round of a copy of the store', reason: failureText(error) });
      return undefined;
    }
  }

  /** While writes are held, until nothing differs. @returns undefined where texts of earlier days may differ: rows of bodies were removed. */
  private async lastRounds(target: Store, order: CopyOrder, { compared, signal }: Moving): Promise<CopyRound | undefined> {
    if (this.ports.store.bodyRemovals() !== compared.removals) return undefined;
    for (;;) {
      const round = await this.round(target, order, { number: 0, signal, comparedAt: compared.startedAt - clocksMs });
      if (round.pieces === 0) return round;
    }
  }

  /**
   * The order matters: who is killed in between has one store that has the records, and knows which one it was going to be. Every write is
   * refused before the metadata names the other store.
   */
  private async moveTo(target: Store, order: CopyOrder, { held, isOver }: Held): Promise<void> {
    const { store, database, clock, observe } = this.ports;
    const [noted, here, movingTo] = [await this.noted(), await store.copy.identities.read(), await target.copy.identities.name()];
    const move = nextMove(here);
    await saveRecordStore(database, { ...noted, movingTo });
    await orAborted(target.copy.identities.markMove(move), isOver);
    isOver.throwIfAborted();
    held.close(locationText(order.location));
    try {
      await saveRecordStore(database, { storeId: movingTo, location: order.location, since: clock.now(), move });
    } catch (error) {
      // It may have been saved all the same.
      const saved = await readRecordStore(database).catch(() => undefined);
      if (saved === undefined) {
        throw new GatelogError('internal', 'Nobody can say which store has the records now: start Gatelog again.', { cause: error });
      }
      if (saved.storeId !== movingTo) {
        held.reopen();
        throw error;
      }
    }
    observe({ kind: 'records_moved', location: order.location });
  }

  private round(target: Store, order: CopyOrder, { number, signal, comparedAt }: RoundOrder): Promise<CopyRound> {
    const { store, folder, hasFreeSpace } = this.ports;
    let [pieces, rows] = [0, 0];
    return store.copy.round(target, {
      folder,
      hasFreeSpace,
      signal,
      comparedAt,
      onDay: (table, at) => this.note(order, { round: number, pieces, rows, table, at }),
      onCopied: ({ table, at, rows: copied }) => {
        [pieces, rows] = [pieces + 1, rows + copied];
        this.note(order, { round: number, pieces, rows, table, at });
      },
    });
  }
}

interface Rounds {
  readonly signal: AbortSignal;
  readonly before?: Compared;
}

interface Moving {
  readonly compared: Compared;
  readonly signal: AbortSignal;
}

interface Held {
  readonly held: HeldWrites;
  readonly isOver: AbortSignal;
}

interface RoundOrder {
  readonly number: number;
  readonly signal: AbortSignal;
  readonly comparedAt: number | undefined;
}

const nowhere: Reach = { stored: 0, changes: 0 };

async function reachOf(store: Store): Promise<Reach> {
  return { stored: (await store.latestStoredNumber()) ?? 0, changes: await store.latestChangeNumber() };
}

/** @throws the abort reason once the signal aborts, whatever the work does. */
async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  work.catch(() => undefined);
  const ended = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true, signal: ended.signal });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    ended.abort();
  }
}

function hasMoved({ location }: Copied): GatelogError {
  return new GatelogError('invalid_parameter', `The records have moved to ${locationText(location)}. Start Gatelog with that store.`);
}

function tooMuch({ maxHeldMs }: CopyOrder): GatelogError {
  return new GatelogError(
    'store_unavailable',
    `More is being changed than can be copied within ${Math.round(maxHeldMs / 1000)} s. Try when fewer changes are made, or let changes wait longer with --hold.`,
  );
}

function isLasting({ code }: GatelogError): boolean {
  return code === 'invalid_parameter' || code === 'internal';
}

function failedState({ location }: CopyOrder, error: unknown): CopyState {
  if (!(error instanceof GatelogError)) return { state: 'failed', location, reason: messageOf(error), mayTryAgain: true };
  return { state: 'failed', location, reason: failureText(error), mayTryAgain: !isLasting(error) };
}

function sizeOf({ days }: CopyRound): { readonly days: number; readonly rows: number } {
  const requests = [...days].filter(([day]) => day.startsWith('requests '));
  return { days: requests.length, rows: requests.reduce((sum, [, rows]) => sum + rows, 0) };
}
