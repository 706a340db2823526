import { setTimeout as wait } from 'node:timers/promises';
import { type ClickHouseClient, type ClickHouseClientConfigOptions, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { GatelogError } from '../model/errors.ts';
import { makeBackoff } from '../platform/backoff.ts';
import { ensureFolder } from '../platform/files.ts';

/** Where the store is: the embedded engine on a folder, or a ClickHouse server by its address with credentials. */
export type StoreLocation = { readonly folder: string } | { readonly url: string };

/** What a connection is for. A connection runs one query at a time, so kinds of work that must not wait for each other have their own. */
export type LaneName = 'insert' | 'update' | 'history' | 'short' | 'long';

const connectionsOfLane: Record<LaneName, number> = { insert: 1, update: 1, history: 1, short: 2, long: 1 };
/** Work that may wait in one lane; more is answered 503 rather than kept. */
const mostWaiting = 1000;

/** Makes a client whose query failed fit for the next one. */
type Recover = (client: ClickHouseClient) => Promise<void>;

/** One kind of work over its connections: whoever comes first gets the next free one. */
class Lane {
  private readonly free: ClickHouseClient[];
  private readonly recover: Recover;
  private readonly waiting: ((client: ClickHouseClient) => void)[] = [];

  constructor(clients: readonly ClickHouseClient[], recover: Recover) {
    this.free = [...clients];
    this.recover = recover;
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
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }
}

/** The store's connections. */
export interface Connections {
  readonly run: <Result>(lane: LaneName, work: (client: ClickHouseClient) => Promise<Result>) => Promise<Result>;
  /** The engine is in this process: a query cannot be stopped from outside, and parameters travel in another way. */
  readonly embedded: boolean;
  readonly close: () => Promise<void>;
}

/** Opens every connection of a store. */
export type Connect = (location: StoreLocation) => Connections;

/** Opens every connection. @throws when the embedded folder is held by another process. */
export function openConnections(location: StoreLocation): Connections {
  const embedded = 'folder' in location;
  if (embedded) ensureFolder(location.folder);
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
    Object.entries(connectionsOfLane).map(([name, count]) => [name, new Lane(Array.from({ length: count }, open), recover)]),
  ) as unknown as Record<LaneName, Lane>;
  return {
    run: (lane, work) => lanes[lane].run(work),
    embedded,
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
