import { rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { readRecordStore, type RecordStore, saveRecordStore } from '../../metadata/record-store.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { HasFreeSpace } from '../../platform/disk-space.ts';
import { ensureFolder } from '../../platform/files.ts';
import type { CopiedSlice, CopyRound, RoundOptions } from '../../store/copy/copy-store.ts';
import { failureText } from '../../store/engine/failure.ts';
import type { HeldWrites } from '../../store/engine/write-gate.ts';
import type { Store } from '../../store/store.ts';
import { damaged, hasMoved, isLasting, tooLong, tooMuch } from './copy-failures.ts';
import { type Copied, type Copying, type CopyState, failedState, sizeOf } from './copy-state.ts';
import { locationText } from './record-store.ts';
import { assertBehind, assertTarget, nextMove, reachOf } from './target.ts';

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

/** Rounds while everything goes on, at most: each has less to copy than the one before. */
const maxRounds = 20;
/** Of a copy that does not move: calls always bring something new. */
const roundsOfCopy = 4;
const hourMs = 3_600_000;
/** So long it is tried to hold changes for the last round. */
const triedForMs = 3_600_000;
const betweenTriesMs = 10_000;
/** Clocks of what is stored and of this process differ by less. */
const clocksMs = 3_600_000;
/** A statement that runs when the service stops is not waited for any longer. */
const stopMs = 1000;
/** One of a round that was given up, before its connection is closed. */
const givenUpMs = 30_000;
const restMs = 500;

/** Both stores when a round began. */
interface Compared {
  readonly round: CopyRound;
  readonly startedAt: number;
  /** Of the hours in which texts were rewritten, by then. */
  readonly mark: number;
  /** What was stored by then has been read back from the other store, but for what has changed since. */
  readonly equalAt: number;
  readonly tookMs: number;
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
  /** A round that was given up, and may still wait for a statement. */
  private givenUp: Promise<unknown> = Promise.resolve();

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
    this.assertHere();
    if (this.running !== undefined) {
      const { order: runs } = this.running;
      if (isSame(runs, order)) return;
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
        this.end(failedState(order.location, reason));
        this.ports.observe({ kind: 'job_failed', job: 'copy of the store', reason: failureText(reason) });
      });
    this.running = { order, done, cancel };
  }

  /** Leaves a copy where it is; the records stay where they are. @returns whether one ran. @throws GatelogError when they have moved. */
  async cancel(): Promise<boolean> {
    const { running } = this;
    this.assertHere();
    running?.cancel.abort(new GatelogError('invalid_parameter', 'It was stopped.'));
    await running?.done;
    this.assertHere();
    return running !== undefined;
  }

  /** For the end of the service. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('the service is stopping'));
    await Promise.race([this.running?.done, wait(stopMs, undefined, { ref: false })]);
  }

  /** At a start: drops what the last round before a move has hidden in this store, in the background. */
  resume(): void {
    const { store, database, observe } = this.ports;
    const drop = async (): Promise<void> => {
      const noted = await readRecordStore(database);
      if (noted?.move !== undefined) await store.copy.dropHidden(this.stopping.signal);
    };
    drop().catch((error: unknown) => {
      if (this.stopping.signal.aborted) return;
      observe({ kind: 'job_failed', job: 'removal of hidden rows after a move', reason: failureText(error) });
    });
  }

  private assertHere(): void {
    if (this.current.state === 'moved') throw hasMoved(this.current.location);
  }

  private end(state: CopyState): void {
    if (this.current.state !== 'moved') this.current = state;
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
      await Promise.race([this.givenUp, wait(givenUpMs, undefined, { ref: false })]);
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
    if (store.damage.parts().length > 0) throw damaged();
    assertTarget({ own, here, there, movingTo });
    await prepare();
    assertBehind({ here: await reachOf(store), there: await reachOf(target) });
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
    if (!order.isSwitching) return { state: 'equal', location: order.location, ...sizeOf(compared.round), at: compared.equalAt };
    // That may have taken long.
    compared = await this.rounds(target, order, { signal, before: compared });
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
      if (performance.now() > until) throw tooMuch(order.maxHeldMs);
      await wait(betweenTriesMs, undefined, { signal });
      compared = await this.rounds(target, order, { signal, before: compared });
    }
  }

  /** Rounds until one has taken a third of the time for which changes may wait; of a copy that does not move, until nothing differs. */
  private async rounds(target: Store, order: CopyOrder, { signal, before }: Rounds): Promise<Compared> {
    let last = before;
    for (let number = 1; number <= maxRounds; number += 1) {
      last = await this.compare(target, order, { number, signal, before: last });
      const isEqual = last.round.pieces === 0;
      if (!order.isSwitching && (isEqual || number === roundsOfCopy)) return last;
      if (!order.isSwitching) continue;
      if (last.tookMs <= order.maxHeldMs / 3) return last;
      if (isEqual) throw tooLong(order.maxHeldMs, last.tookMs);
    }
    throw tooMuch(order.maxHeldMs);
  }

  /** One round; what an earlier one has written is read back. */
  private async compare(target: Store, order: CopyOrder, { number, signal, before }: Comparing): Promise<Compared> {
    const { clock, store } = this.ports;
    const [startedAt, { mark }, began] = [clock.now(), store.copy.rewritten, performance.now()];
    const rewritten = before === undefined ? 'all' : store.copy.rewritten.since(before.mark);
    const round = await this.round(target, order, {
      number,
      signal,
      known:
        before === undefined || rewritten === 'all'
          ? {}
          : { comparedAt: before.startedAt - clocksMs, checked: [...before.round.copied, ...rewritten.map(bodiesOf)] },
    });
    const equalAt = round.pieces === 0 || before === undefined ? startedAt : before.startedAt;
    return { round, startedAt, mark, equalAt, tookMs: performance.now() - began };
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
          const rounds = this.lastRounds(target, order, { compared, signal: isOver });
          this.givenUp = rounds.catch(() => undefined);
          const round = await orAborted(rounds, isOver);
          await this.moveTo(target, order, { held, isOver });
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

  /** While writes are held, until nothing differs, and nothing is still being written to the other store. */
  private async lastRounds(target: Store, order: CopyOrder, { compared, signal }: Moving): Promise<CopyRound> {
    for (let last = compared; ;) {
      const isAtRest = await target.copy.isAtRest();
      last = await this.compare(target, order, { number: 0, signal, before: last });
      if (isAtRest && last.round.pieces === 0) return last.round;
      if (!isAtRest) await wait(restMs, undefined, { signal });
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

  private round(target: Store, order: CopyOrder, { number, signal, known }: RoundOrder): Promise<CopyRound> {
    const { store, folder, hasFreeSpace } = this.ports;
    let [pieces, rows] = [0, 0];
    return store.copy.round(target, {
      folder,
      hasFreeSpace,
      signal,
      ...known,
      onDay: (table, at) => {
        if (!signal.aborted) this.note(order, { round: number, pieces, rows, table, at });
      },
      onCopied: ({ table, at, rows: copied }) => {
        [pieces, rows] = [pieces + 1, rows + copied];
        if (!signal.aborted) this.note(order, { round: number, pieces, rows, table, at });
      },
    });
  }
}

interface Rounds {
  readonly signal: AbortSignal;
  readonly before?: Compared | undefined;
}

interface Comparing extends Rounds {
  readonly number: number;
  readonly before: Compared | undefined;
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
  readonly known: Pick<RoundOptions, 'comparedAt' | 'checked'>;
}

const bodiesOf = (from: number): CopiedSlice => ({ table: 'bodies', from, to: from + hourMs });

function isSame(one: CopyOrder, other: CopyOrder): boolean {
  return one.location === other.location && one.isSwitching === other.isSwitching && one.maxHeldMs === other.maxHeldMs;
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
