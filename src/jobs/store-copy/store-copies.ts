import { rmSync } from 'node:fs';
import type { MetadataDatabase } from '../../metadata/database.ts';
import { readRecordStore, type RecordStore, saveRecordStore } from '../../metadata/record-store.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { Clock } from '../../platform/clock.ts';
import { ensureFolder } from '../../platform/files.ts';
import type { CopyRound } from '../../store/copy/copy-store.ts';
import { failureText } from '../../store/engine/failure.ts';
import type { HeldWrites } from '../../store/engine/write-gate.ts';
import type { Store } from '../../store/store.ts';
import { placeText } from './own-store.ts';
import { assertTarget, nextMove } from './target.ts';

export interface StoreCopyPorts {
  readonly store: Store;
  readonly database: MetadataDatabase;
  readonly observe: Observe;
  readonly clock: Clock;
  /** Of the store that has the records. */
  readonly place: string;
  /** For the rows that are on their way, in the data folder. */
  readonly folder: string;
  /** Runs while nothing enters the store from the spool, and no job or removal changes it. */
  readonly whilePaused: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

export interface CopyOrder {
  /** Where to, in words. */
  readonly place: string;
  /** Opens the other store and brings its tables up to date. @throws where it cannot be reached. */
  readonly open: () => Promise<Store>;
  /** The records are there from then on. */
  readonly isSwitching: boolean;
  /** Changes wait so long at most while the last differences are copied. */
  readonly maxHeldMs: number;
}

interface Copying {
  readonly state: 'copying';
  readonly place: string;
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
  readonly place: string;
  readonly days: number;
  readonly rows: number;
  readonly at: number;
}

/** What a copy has come to. Times are Unix milliseconds. */
export type CopyState =
  | { readonly state: 'none' }
  | Copying
  | Copied
  | { readonly state: 'failed'; readonly place: string; readonly reason: string; readonly mayTryAgain: boolean };

/** A round that copies no more is close enough for the last one, during which changes wait. */
const fewPieces = 20;
const maxRounds = 100;
/** Tries of the last round. */
const maxTries = 5;
/** Writes that run have so long to end. */
const writesEndMs = 30_000;
/** Clocks of what is stored and of this process differ by less. */
const fullBeforeMs = 3_600_000;

/** Both stores as they were when a round began. */
interface Compared {
  readonly round: CopyRound;
  readonly startedAt: number;
  /** Of rows of bodies, by then. */
  readonly removals: number;
}

/**
 * Copies the records to another store while calls and changes go on, and moves them there: in rounds, each of which copies what differs
 * still; the last one while writes are held. After a crash a new order goes on, because a round asks both stores what they have.
 *
 * Invariant: the metadata names the store that has the records. It names the other one once both are equal and every write to the first is
 * refused; from then on a start with the first is refused as well.
 */
export class StoreCopies {
  private readonly ports: StoreCopyPorts;
  private readonly stopping = new AbortController();
  private current: CopyState = { state: 'none' };
  private running: { readonly order: CopyOrder; readonly done: Promise<void>; readonly cancel: AbortController } | undefined;

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
    if (this.current.state === 'moved') {
      throw new GatelogError('store_unavailable', `The records have moved to ${placeText(this.current.place)}. Start Gatelog with that store.`);
    }
    if (this.running !== undefined) {
      const { order: runs } = this.running;
      if (runs.place === order.place && runs.isSwitching === order.isSwitching) return;
      throw new GatelogError('invalid_parameter', `Records are being copied to ${placeText(runs.place)}. Wait for its end, or stop it with --stop.`);
    }
    const cancel = new AbortController();
    this.note(order, { round: 1, pieces: 0, rows: 0, table: '', at: 0 });
    const done = this.run(order, AbortSignal.any([this.stopping.signal, cancel.signal]))
      .catch((error: unknown) => {
        this.current = failedState(order, error);
        this.ports.observe({ kind: 'job_failed', job: 'copy of the store', reason: failureText(error) });
      })
      .finally(() => {
        this.running = undefined;
      });
    this.running = { order, done, cancel };
  }

  /** Leaves a copy where it is; the records stay where they are. @throws GatelogError when they have moved. */
  async cancel(): Promise<void> {
    if (this.current.state === 'moved') {
      throw new GatelogError('invalid_parameter', `The records have moved to ${placeText(this.current.place)} already.`);
    }
    this.running?.cancel.abort(new GatelogError('invalid_parameter', 'it was stopped.'));
    await this.running?.done;
  }

  /** For the end of the service. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('the service is stopping'));
    await this.running?.done;
  }

  private note({ place }: CopyOrder, at: Omit<Copying, 'state' | 'place'>): void {
    this.current = { state: 'copying', place, ...at };
  }

  private async run(order: CopyOrder, signal: AbortSignal): Promise<void> {
    const { folder } = this.ports;
    const target = await order.open();
    try {
      signal.throwIfAborted();
      ensureFolder(folder);
      await this.accept(target);
      await this.copy(target, order, signal);
    } finally {
      await target.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  private async noted(): Promise<RecordStore> {
    const { store, database, place, clock } = this.ports;
    const noted = await readRecordStore(database);
    return noted ?? { storeId: await store.copy.identities.name(), place, since: clock.now(), hasMoved: false };
  }

  /** @throws GatelogError for a store into which this one may not be copied. */
  private async accept(target: Store): Promise<void> {
    const { store } = this.ports;
    if (store.copy.isBeingUpgraded() || target.copy.isBeingUpgraded()) {
      throw new GatelogError('store_unavailable', 'An upgrade is still moving bodies (see GET /v1/health): begin when it is done.');
    }
    const { storeId: own, movingTo } = await this.noted();
    const [here, there] = [await store.copy.identities.read(), await target.copy.identities.read()];
    assertTarget({ own, here, there, movingTo });
    await target.copy.identities.name();
    await target.copy.identities.markCopy(own);
  }

  private async copy(target: Store, order: CopyOrder, signal: AbortSignal): Promise<void> {
    let compared = await this.rounds(target, order, signal);
    if (!order.isSwitching) {
      this.current = { state: 'equal', place: order.place, ...sizeOf(compared.round), at: compared.startedAt };
      return;
    }
    for (let tries = 1; ; tries += 1) {
      const isMoved = await this.ports.whilePaused(() => this.move(target, order, { compared, signal }));
      if (isMoved) return;
      if (tries === maxTries) throw neverEqual(order);
      compared = await this.rounds(target, order, signal);
    }
  }

  /** Rounds until little differs, and no row of bodies was removed during the last one. */
  private async rounds(target: Store, order: CopyOrder, signal: AbortSignal): Promise<Compared> {
    const { store, clock } = this.ports;
    for (let number = 1; ; number += 1) {
      const [startedAt, removals] = [clock.now(), store.bodyRemovals()];
      const round = await this.round(target, order, { number, signal });
      const isClose = round.pieces <= fewPieces && store.bodyRemovals() === removals;
      if (isClose || (number >= maxRounds && !order.isSwitching)) return { round, startedAt, removals };
      if (number >= maxRounds) throw neverEqual(order);
    }
  }

  /** @returns false where changes would have waited for too long. */
  private async move(target: Store, order: CopyOrder, { compared, signal }: Moving): Promise<boolean> {
    const held = await this.ports.store.copy.holdWrites(writesEndMs);
    const late = AbortSignal.timeout(order.maxHeldMs);
    try {
      const round = await this.lastRounds(target, order, { compared, signal: AbortSignal.any([signal, late]) });
      if (round === undefined) {
        held.release();
        return false;
      }
      signal.throwIfAborted();
      await this.moveTo(target, order, { round, held });
    } catch (error) {
      held.release();
      if (late.aborted && !signal.aborted) return false;
      throw error;
    }
    // What is paused stays so: it would only meet a store that refuses it.
    if (!this.stopping.signal.aborted) {
      await new Promise((resolve) => this.stopping.signal.addEventListener('abort', resolve, { once: true }));
    }
    return true;
  }

  /** While writes are held, until nothing differs. @returns undefined where texts of earlier days may differ: rows of bodies were removed. */
  private async lastRounds(target: Store, order: CopyOrder, { compared, signal }: Moving): Promise<CopyRound | undefined> {
    if (this.ports.store.bodyRemovals() !== compared.removals) return undefined;
    for (let times = 1; times <= maxRounds; times += 1) {
      const round = await this.round(target, order, { number: 0, signal, inFullFrom: compared.startedAt - fullBeforeMs });
      if (round.pieces === 0) return round;
    }
    throw neverEqual(order);
  }

  /** The order matters: whoever is killed in between has one store that has the records, and knows which one it was going to be. */
  private async moveTo(target: Store, order: CopyOrder, { round, held }: { readonly round: CopyRound; readonly held: HeldWrites }) {
    const { store, database, clock, observe } = this.ports;
    const [noted, here, movingTo] = [await this.noted(), await store.copy.identities.read(), await target.copy.identities.name()];
    await saveRecordStore(database, { ...noted, movingTo });
    await target.copy.identities.markMove(nextMove(here));
    const at = clock.now();
    await saveRecordStore(database, { storeId: movingTo, place: order.place, since: at, hasMoved: true });
    held.close(placeText(order.place));
    this.current = { state: 'moved', place: order.place, ...sizeOf(round), at };
    observe({ kind: 'records_moved', place: order.place });
  }

  private round(target: Store, order: CopyOrder, { number, signal, inFullFrom }: RoundOrder): Promise<CopyRound> {
    let [pieces, rows] = [0, 0];
    return this.ports.store.copy.round(target, {
      folder: this.ports.folder,
      signal,
      inFullFrom,
      onDay: (table, at) => this.note(order, { round: number, pieces, rows, table, at }),
      onCopied: ({ table, at, rows: copied }) => {
        [pieces, rows] = [pieces + 1, rows + copied];
        this.note(order, { round: number, pieces, rows, table, at });
      },
    });
  }
}

interface Moving {
  readonly compared: Compared;
  readonly signal: AbortSignal;
}

interface RoundOrder {
  readonly number: number;
  readonly signal: AbortSignal;
  readonly inFullFrom?: number;
}

function neverEqual({ maxHeldMs }: CopyOrder): GatelogError {
  return new GatelogError(
    'store_unavailable',
    `What differs could not be copied while changes waited for ${Math.round(maxHeldMs / 1000)} s. Try when fewer changes are made, or let them wait longer with --hold.`,
  );
}

function failedState({ place }: CopyOrder, error: unknown): CopyState {
  if (!(error instanceof GatelogError)) return { state: 'failed', place, reason: messageOf(error), mayTryAgain: true };
  const isLasting = error.code === 'invalid_parameter' || error.code === 'internal';
  return { state: 'failed', place, reason: failureText(error), mayTryAgain: !isLasting };
}

function sizeOf({ days }: CopyRound): { readonly days: number; readonly rows: number } {
  const requests = [...days].filter(([day]) => day.startsWith('requests '));
  return { days: requests.length, rows: requests.reduce((sum, [, rows]) => sum + rows, 0) };
}
