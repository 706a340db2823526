import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type ClickHouseClient, type ClickHouseClientConfigOptions, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { GatelogError } from '../model/errors.ts';
import { makeBackoff } from '../platform/backoff.ts';
import { ensureFolder } from '../platform/files.ts';
import { type DiskRoom, type HasRoom, makeHasRoom, makeMeasureRoom } from '../platform/disk-room.ts';
import { RowFiles } from './row-files.ts';

/** Bytes that stay free on the disk of a store whose settings do not say. */
const usualSpareBytes = 256 * 1024 * 1024;

/** Where the store is: the embedded engine on a folder, with bytes of its disk that stay free, or a ClickHouse server by its address with credentials. */
export type StoreLocation = { readonly folder: string; readonly spareBytes?: number } | { readonly url: string };

/** What a connection is for. A connection runs one query at a time, so kinds of work that must not wait for each other have their own. */
export type LaneName = 'insert' | 'update' | 'history' | 'removal' | 'control' | 'short' | 'long';

/** Hears of work that had to wait for a connection, and for how long, milliseconds. */
export type NoteWait = (lane: LaneName, ms: number) => void;

const connectionsOfLane: Readonly<Record<LaneName, number>> = {
  insert: 1,
  update: 1,
  history: 1,
  removal: 1,
  control: 1,
  short: 2,
  long: 1,
};
/** Every lane. */
export const laneNames = Object.keys(connectionsOfLane) as LaneName[];
/** Work that may wait in one lane; more is answered 503 rather than kept. */
const mostWaiting = 1000;

/** Makes a client whose query failed fit for the next one. */
type Recover = (client: ClickHouseClient) => Promise<void>;

/** One kind of work over its connections: whoever comes first gets the next free one. */
class Lane {
  private readonly count: number;
  private readonly free: ClickHouseClient[];
  private readonly recover: Recover;
  private readonly noteWait: (ms: number) => void;
  private readonly waiting: ((client: ClickHouseClient) => void)[] = [];

  constructor(clients: readonly ClickHouseClient[], recover: Recover, noteWait: (ms: number) => void) {
    this.count = clients.length;
    this.free = [...clients];
    this.recover = recover;
    this.noteWait = noteWait;
  }

  /** A connection that is made fit again counts as busy. */
  state(): Omit<LaneState, 'name'> {
    return { connections: this.count, busy: this.count - this.free.length, waiting: this.waiting.length };
  }

  async run<Result>(work: (client: ClickHouseClient) => Promise<Result>): Promise<Result> {
    const client = this.free.pop() ?? (await this.wait());
    try {
      const result = await work(client);
      this.giveBack(client);
      return result;
    } catch (error) {
      // The caller hears of the failure at once; the connection may take longer.
      void this.recover(client).then(() => this.giveBack(client));
      throw error;
    }
  }

  private giveBack(client: ClickHouseClient): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free.push(client);
    else next(client);
  }

  private wait(): Promise<ClickHouseClient> {
    if (this.waiting.length >= mostWaiting) {
      throw new GatelogError('store_unavailable', 'Too many queries are waiting for the store. Try again in a moment.');
    }
    const since = performance.now();
    return new Promise((resolve) => {
      this.waiting.push((client) => {
        this.noteWait(performance.now() - since);
        resolve(client);
      });
    });
  }
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
  readonly run: <Result>(lane: LaneName, work: (client: ClickHouseClient) => Promise<Result>) => Promise<Result>;
  /** The engine is in this process: a query cannot be stopped from outside, and parameters travel in another way. */
  readonly embedded: boolean;
  /** How rows reach the embedded engine; undefined of a server, which takes them over its connection. */
  readonly rowFiles: RowFiles | undefined;
  /** False while the disk of the embedded engine is full: then nothing may be written. A server looks after its own. */
  readonly hasRoom: HasRoom;
  /** What `hasRoom` goes by, for a sentence about it; undefined of a server. */
  readonly measureRoom: () => DiskRoom | undefined;
  readonly lanes: () => readonly LaneState[];
  readonly close: () => Promise<void>;
}

/** Opens every connection of a store. */
export type Connect = (location: StoreLocation, noteWait?: NoteWait) => Connections;

/** Opens every connection. @throws when the embedded folder is held by another process. */
export function openConnections(location: StoreLocation, noteWait: NoteWait = () => undefined): Connections {
  const embedded = 'folder' in location;
  if (embedded) ensureFolder(location.folder);
  const spareBytes = (embedded ? location.spareBytes : undefined) ?? usualSpareBytes;
  const clients: ClickHouseClient[] = [];
  const closing = new AbortController();
  const open = (): ClickHouseClient => {
    const client = createClient(
      embedded
        ? { connection: embeddedConnection(location.folder) }
        : // What fails is told by our own errors; the client would write lines of its own to the console.
          { url: location.url, request_timeout: 120_000, log: { level: ClickHouseLogLevel.OFF } },
    );
    clients.push(client);
    return client;
  };
  const recover: Recover = embedded ? (client) => emptyOutput(client, closing.signal) : async () => undefined;
  const lanes = Object.fromEntries(
    laneNames.map((name) => [name, new Lane(Array.from({ length: connectionsOfLane[name] }, open), recover, (ms) => noteWait(name, ms))]),
  ) as unknown as Record<LaneName, Lane>;
  return {
    run: (lane, work) => lanes[lane].run(work),
    embedded,
    rowFiles: embedded ? new RowFiles(path.join(location.folder, 'incoming')) : undefined,
    hasRoom: embedded ? makeHasRoom(location.folder, spareBytes) : () => true,
    measureRoom: embedded ? makeMeasureRoom(location.folder, spareBytes) : () => undefined,
    lanes: () => laneNames.map((name) => ({ name, ...lanes[name].state() })),
    close: async () => {
      closing.abort();
      for (const client of clients) await client.close();
    },
  };
}

const firstRetryMs = 10;
const longestRetryMs = 1000;

/**
 * TRICKY: rows that a query had put out before it failed stay in its embedded connection and come out in front of the next answer there,
 * whoever asked for that. So a connection whose query failed is used again only once it has answered with exactly what was asked.
 */
async function emptyOutput(client: ClickHouseClient, closed: AbortSignal): Promise<void> {
  const backoff = makeBackoff(firstRetryMs, longestRetryMs);
  while (!closed.aborted) {
    try {
      const result = await client.query({ query: 'SELECT 1', format: 'TabSeparated' });
      if ((await result.text()) === '1\n') return;
    } catch {
      await wait(backoff.nextMs(), undefined, { ref: false });
    }
  }
}

type InjectedConnection = NonNullable<ClickHouseClientConfigOptions['connection']>;

/** chdb declares its connection against its own copy of the client's types; the two are one interface. */
function embeddedConnection(folder: string): InjectedConnection {
  return createChdbConnection({ path: folder }) as unknown as InjectedConnection;
}
