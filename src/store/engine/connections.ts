import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { GatelogError } from '../../model/errors.ts';
import { makeBackoff } from '../../platform/backoff.ts';
import { ensureFolder } from '../../platform/files.ts';
import { type Asker, FairTurns, type Permit } from '../../platform/fair-turns.ts';
import { type DiskSpace, type HasFreeSpace, makeHasFreeSpace, makeMeasureDiskSpace } from '../../platform/disk-space.ts';
import { Clients } from './clients.ts';
import { RowFiles } from './insert-files.ts';

/** Bytes that stay free on the disk of a store whose settings do not say. */
const defaultSpareBytes = 256 * 1024 * 1024;

/** Where the store is: the embedded engine on a folder, with bytes of its disk that stay free, or a ClickHouse server by its address with credentials. */
export type StoreLocation = { readonly folder: string; readonly spareBytes?: number } | { readonly url: string };

/**
 * What a connection is for. A connection runs one query at a time, so kinds of work that must not wait for each other have their own. Of reads, `short`
 * is for those that find a few rows by the key, `long` for all others, and `large` for one at a time that needs more memory than the rest may have.
 */
export type LaneName = 'insert' | 'update' | 'history' | 'removal' | 'control' | 'short' | 'long' | 'large';

/** Hears of work that had to wait for a connection, and for how long, milliseconds. */
export type NoteWait = (lane: LaneName, ms: number) => void;

/** Connections of the lanes that readers share. */
export interface ReadConnections {
  readonly short: number;
  readonly long: number;
}

/** Of a store whose settings do not say. */
const defaultReadConnections: ReadConnections = { short: 3, long: 3 };

/** Every lane. */
export const laneNames: readonly LaneName[] = ['insert', 'update', 'history', 'removal', 'control', 'short', 'long', 'large'];
/** Work of one owner that may wait in one lane; more is answered 503 rather than kept. */
const maxWaitingOfOwner = 500;

/** For whom work is done, and how long it may wait for a connection. Work of ours has no owner and waits until it has one. */
export type Turn = Partial<Asker>;

/** Makes a client whose query failed fit for the next one. */
type Recover = (client: ClickHouseClient) => Promise<void>;

/** @returns the client for the next query: another one when this one is spent. */
type Renew = (client: ClickHouseClient) => ClickHouseClient;

/** What a lane is made of. */
interface LaneOptions {
  readonly clients: readonly ClickHouseClient[];
  readonly recover: Recover;
  readonly renew: Renew;
  readonly onWait: (ms: number) => void;
}

/**
 * One kind of work over its connections. Owners take turns; where there are several connections one owner never has all of them, so that others find
 * one that is free soon, however long its work takes.
 */
class Lane {
  private readonly options: LaneOptions;
  private readonly free: ClickHouseClient[];
  private readonly turns: FairTurns;

  constructor(options: LaneOptions) {
    const count = options.clients.length;
    this.options = options;
    this.free = [...options.clients];
    this.turns = new FairTurns({ units: count, maxUnitsOfOwner: Math.max(1, count - 1), maxWaitingOfOwner, refusal: busy });
  }

  /** A connection that is made fit again counts as busy. */
  state(): Omit<LaneState, 'name'> {
    return { connections: this.options.clients.length, busy: this.turns.used, waiting: this.turns.waiting };
  }

  async run<Result>(work: (client: ClickHouseClient) => Promise<Result>, turn: Turn): Promise<Result> {
    const { client, grant } = await this.connection(turn);
    const release = (): void => {
      this.free.push(this.options.renew(client));
      grant.release();
    };
    try {
      const result = await work(client);
      release();
      return result;
    } catch (error) {
      // The caller hears of the failure at once; the connection may take longer.
      void this.options.recover(client).then(release);
      throw error;
    }
  }

  private async connection(turn: Turn): Promise<{ readonly client: ClickHouseClient; readonly grant: Permit }> {
    const since = performance.now();
    const grant = await this.turns.take(1, { ...turn, owner: turn.owner ?? '' });
    const client = this.free.pop();
    if (client === undefined) throw new TypeError('A connection was given out twice.');
    if (grant.waited) this.options.onWait(performance.now() - since);
    return { client, grant };
  }
}

function busy(why: 'full' | 'late'): GatelogError {
  const reason =
    why === 'full' ? 'Too many queries of this organisation are waiting for the store' : 'The store had no time for this query';
  return new GatelogError('service_busy', `${reason}. Ask for fewer at once, and try again in a moment.`);
}

/** One lane at one moment. */
export interface LaneState {
  readonly name: LaneName;
  readonly connections: number;
  readonly busy: number;
  /** Work that waits for a connection. */
  readonly waiting: number;
}

/** The store's connections. */
export interface Connections {
  /** @param turn who waits for the connection; absent: work of ours. @throws GatelogError `service_busy`, or what the signal is aborted with. */
  readonly run: <Result>(lane: LaneName, work: (client: ClickHouseClient) => Promise<Result>, turn?: Turn) => Promise<Result>;
  /** The engine is in this process: a query cannot be stopped from outside, and parameters travel in another way. */
  readonly embedded: boolean;
  /** How rows reach the embedded engine; undefined of a server, which takes them over its connection. */
  readonly rowFiles: RowFiles | undefined;
  /** False while the disk of the embedded engine is full: then nothing may be written. A server looks after its own. */
  readonly hasFreeSpace: HasFreeSpace;
  /** What `hasRoom` goes by, for a sentence about it; undefined of a server. */
  readonly measureFreeSpace: () => DiskSpace | undefined;
  readonly lanes: () => readonly LaneState[];
  readonly close: () => Promise<void>;
}

/** Opens every connection of a store. */
export type Connect = (location: StoreLocation, onWait?: NoteWait, reads?: ReadConnections) => Connections;

/** Opens every connection. @throws when the embedded folder is held by another process. */
export function openConnections(
  location: StoreLocation,
  onWait: NoteWait = () => undefined,
  reads: ReadConnections = defaultReadConnections,
): Connections {
  const embedded = 'folder' in location;
  if (embedded) ensureFolder(location.folder);
  const spareBytes = (embedded ? location.spareBytes : undefined) ?? defaultSpareBytes;
  const closing = new AbortController();
  const clients = new Clients(location);
  const recover: Recover = embedded ? (client) => resetConnection(client, closing.signal) : async () => undefined;
  const renew: Renew = (client) => (closing.signal.aborted ? client : clients.renewed(client));
  const laneOf = (name: LaneName): Lane => {
    const count = name === 'short' || name === 'long' ? reads[name] : 1;
    return new Lane({ clients: Array.from({ length: count }, () => clients.open()), recover, renew, onWait: (ms) => onWait(name, ms) });
  };
  const lanes = Object.fromEntries(laneNames.map((name) => [name, laneOf(name)])) as Record<LaneName, Lane>;
  return {
    run: (lane, work, turn = {}) => lanes[lane].run(work, turn),
    embedded,
    rowFiles: embedded ? new RowFiles(path.join(location.folder, 'incoming')) : undefined,
    hasFreeSpace: embedded ? makeHasFreeSpace(location.folder, spareBytes) : () => true,
    measureFreeSpace: embedded ? makeMeasureDiskSpace(location.folder, spareBytes) : () => undefined,
    lanes: () => laneNames.map((name) => ({ name, ...lanes[name].state() })),
    close: async () => {
      closing.abort();
      await clients.close();
    },
  };
}

const firstRetryMs = 10;
const maxRetryMs = 1000;

/**
 * TRICKY: rows that a query had put out before it failed stay in its embedded connection and come out in front of the next answer there,
 * whoever asked for that. So a connection whose query failed is used again only once it has answered with exactly what was asked.
 */
async function resetConnection(client: ClickHouseClient, closed: AbortSignal): Promise<void> {
  const backoff = makeBackoff(firstRetryMs, maxRetryMs);
  while (!closed.aborted) {
    try {
      const result = await client.query({ query: 'SELECT 1', format: 'TabSeparated' });
      if ((await result.text()) === '1\n') return;
    } catch {
      await wait(backoff.nextDelayMs(), undefined, { ref: false });
    }
  }
}
