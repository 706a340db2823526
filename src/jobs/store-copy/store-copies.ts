import type { MetadataDatabase } from '../../metadata/database.ts';
import { readRecordStore, saveRecordStore } from '../../metadata/record-store.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import type { Clock } from '../../platform/clock.ts';
import { rmSync } from 'node:fs';
import { ensureFolder } from '../../platform/files.ts';
import { failureText } from '../../store/engine/failure.ts';
import type { CopyRound } from '../../store/copy/copy-store.ts';
import type { Store } from '../../store/store.ts';

export interface StoreCopyPorts {
  readonly store: Store;
  readonly database: MetadataDatabase;
  readonly observe: Observe;
  readonly clock: Clock;
  /** For the rows that are on their way, in the data folder. */
  readonly folder: string;
  /** Runs while nothing enters the store from the spool, and no job or removal changes it. */
  readonly whilePaused: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

export interface CopyOrder {
  /** Where to, in words. */
  readonly place: string;
  /** Opens the other store and brings its tables up to date. */
  readonly open: () => Promise<Store>;
  /** The records are there from then on. */
  readonly isSwitching: boolean;
}

/** What a copy has come to. Times are Unix milliseconds. */
export type CopyState =
  | { readonly state: 'none' }
  | {
      readonly state: 'copying';
      readonly place: string;
      readonly round: number;
      readonly slices: number;
      readonly rows: number;
      readonly table: string;
      readonly at: number;
    }
  | { readonly state: 'equal'; readonly place: string; readonly days: number; readonly rows: number; readonly at: number }
  | { readonly state: 'moved'; readonly place: string; readonly days: number; readonly rows: number; readonly at: number }
  | { readonly state: 'failed'; readonly place: string; readonly reason: string };

/** A round that copies no more is close enough for the last one, during which changes wait. */
const fewSlices = 20;
const maxRounds = 100;
/** Writes that run have so long to end. */
const writesEndMs = 30_000;
/** In the last round texts of bodies are compared from this long before the round that was in full. */
const fullBeforeMs = 3_600_000;

/**
 * Copies the records to another store while calls and changes go on, and moves them there: in rounds, each of which copies what differs
 * still; the last one while writes are held. After a crash a new order goes on, because a round asks both stores what they have.
 *
 * Invariant: the metadata names the store that has the records. It names the other one once both are equal and nothing can change the first
 * any more; from then on a start with the first is refused.
 */
export class StoreCopies {
  private readonly ports: StoreCopyPorts;
  private readonly stopping = new AbortController();
  private current: CopyState = { state: 'none' };
  private running: Promise<void> | undefined;

  constructor(ports: StoreCopyPorts) {
    this.ports = ports;
  }

  get state(): CopyState {
    return this.current;
  }

  /** Begins a copy. @throws GatelogError when one runs already, or the records have moved. */
  start(order: CopyOrder): void {
    if (this.current.state === 'moved') {
      throw new GatelogError('store_unavailable', `The records have moved to ${this.current.place}. Start Gatelog with that store.`);
    }
    if (this.running !== undefined) throw new GatelogError('store_unavailable', 'A copy is being made already.');
    this.progress(order, { round: 1, slices: 0, rows: 0, table: '', at: 0 });
    this.running = this.run(order)
      .catch((error: unknown) => {
        this.current = {
          state: 'failed',
          place: order.place,
          reason: error instanceof GatelogError ? failureText(error) : messageOf(error),
        };
        this.ports.observe({ kind: 'job_failed', job: 'copy of the store', reason: failureText(error) });
      })
      .finally(() => {
        this.running = undefined;
      });
  }

  /** Leaves a copy where it is. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('the service is stopping'));
    await this.running;
  }

  private progress({ place }: CopyOrder, at: Omit<Extract<CopyState, { state: 'copying' }>, 'state' | 'place'>): void {
    this.current = { state: 'copying', place, ...at };
  }

  private async run(order: CopyOrder): Promise<void> {
    const { folder } = this.ports;
    ensureFolder(folder);
    const target = await order.open();
    try {
      await this.accept(target);
      await this.copy(target, order);
    } finally {
      await target.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** @throws GatelogError for a store that has other records. */
  private async accept(target: Store): Promise<void> {
    const { store, database } = this.ports;
    if (store.copy.isBeingUpgraded()) {
      throw new GatelogError('store_unavailable', 'An upgrade is still moving bodies (see GET /v1/health): begin when it is done.');
    }
    const own = (await readRecordStore(database))?.storeId ?? (await store.copy.identities.name());
    const [here, there] = [await store.copy.identities.read(), await target.copy.identities.read()];
    const isOurs = there.copyOf.includes(own) || (there.id !== undefined && here.copyOf.includes(there.id));
    if (!there.isEmpty && !isOurs) {
      throw new GatelogError('invalid_parameter', 'The other store has records that did not come from this one. Name an empty database.');
    }
    await target.copy.identities.name();
    await target.copy.identities.markCopy(own);
  }

  private async copy(target: Store, order: CopyOrder): Promise<void> {
    const { store, clock } = this.ports;
    let [startedAt, removals] = [clock.now(), store.bodyRemovals()];
    let last = await this.round(target, order, 1);
    for (let round = 2; last.slices > fewSlices && round <= maxRounds; round += 1) {
      [startedAt, removals] = [clock.now(), store.bodyRemovals()];
      last = await this.round(target, order, round);
    }
    if (!order.isSwitching) {
      this.current = { state: 'equal', place: order.place, ...sizeOf(last), at: startedAt };
      return;
    }
    // Texts of earlier hours change only where rows of bodies are removed, and written again.
    await this.ports.whilePaused(() => this.move(target, order, store.bodyRemovals() === removals ? startedAt - fullBeforeMs : undefined));
  }

  private async move(target: Store, order: CopyOrder, inFullFrom: number | undefined): Promise<void> {
    const { store, database, clock } = this.ports;
    const release = await store.copy.holdWrites(writesEndMs);
    try {
      let last = await this.round(target, order, 0, inFullFrom);
      for (let round = 0; last.slices > 0; round += 1) {
        if (round > maxRounds) throw new Error('the two stores did not become equal');
        last = await this.round(target, order, 0, inFullFrom);
      }
      const at = clock.now();
      await saveRecordStore(database, { storeId: await target.copy.identities.name(), place: order.place, since: at });
      this.current = { state: 'moved', place: order.place, ...sizeOf(last), at };
    } catch (error) {
      release();
      throw error;
    }
    this.ports.observe({ kind: 'records_moved', place: order.place });
    // Nothing may change the former store any more: all of it waits for a start with the other one.
    await new Promise((resolve) => this.stopping.signal.addEventListener('abort', resolve, { once: true }));
  }

  private round(target: Store, order: CopyOrder, round: number, inFullFrom?: number): Promise<CopyRound> {
    let [slices, rows] = [0, 0];
    return this.ports.store.copy.round(target, {
      folder: this.ports.folder,
      signal: this.stopping.signal,
      inFullFrom,
      onCopied: ({ table, at, rows: copied }) => {
        [slices, rows] = [slices + 1, rows + copied];
        this.progress(order, { round, slices, rows, table, at });
      },
    });
  }
}

function sizeOf({ days }: CopyRound): { readonly days: number; readonly rows: number } {
  const requests = [...days].filter(([day]) => day.startsWith('requests '));
  return { days: requests.length, rows: requests.reduce((sum, [, rows]) => sum + rows, 0) };
}
