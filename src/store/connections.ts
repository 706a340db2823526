import { createClient, type ClickHouseClient, type ClickHouseClientConfigOptions } from '@clickhouse/client';
import { createChdbConnection } from 'chdb/connection';
import { GatelogError } from '../model/errors.ts';
import { ensureFolder } from '../platform/files.ts';

/** Where the store is: the embedded engine on a folder, or a ClickHouse server by its address with credentials. */
export type StoreLocation = { readonly folder: string } | { readonly url: string };

/** What a connection is for. A connection runs one query at a time, so kinds of work that must not wait for each other have their own. */
export type LaneName = 'insert' | 'update' | 'short' | 'long';

const connectionsOfLane: Record<LaneName, number> = { insert: 1, update: 1, short: 2, long: 1 };
/** Work that may wait in one lane; more is answered 503 rather than kept. */
const mostWaiting = 1000;

/** One kind of work over its connections: whoever comes first gets the next free one. */
class Lane {
  private readonly free: ClickHouseClient[];
  private readonly waiting: ((client: ClickHouseClient) => void)[] = [];

  constructor(clients: readonly ClickHouseClient[]) {
    this.free = [...clients];
  }

  async run<Result>(work: (client: ClickHouseClient) => Promise<Result>): Promise<Result> {
    const client = this.free.pop() ?? (await this.wait());
    try {
      return await work(client);
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free.push(client);
      else next(client);
    }
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
  readonly close: () => Promise<void>;
}

/** Opens every connection. @throws when the embedded folder is held by another process. */
export function openConnections(location: StoreLocation): Connections {
  if ('folder' in location) ensureFolder(location.folder);
  const clients: ClickHouseClient[] = [];
  const open = (): ClickHouseClient => {
    const client = createClient('folder' in location ? { connection: embeddedConnection(location.folder) } : { url: location.url, request_timeout: 120_000 });
    clients.push(client);
    return client;
  };
  const lanes = Object.fromEntries(
    Object.entries(connectionsOfLane).map(([name, count]) => [name, new Lane(Array.from({ length: count }, open))]),
  ) as unknown as Record<LaneName, Lane>;
  return {
    run: (lane, work) => lanes[lane].run(work),
    close: async () => {
      for (const client of clients) await client.close();
    },
  };
}

type InjectedConnection = NonNullable<ClickHouseClientConfigOptions['connection']>;

/** chdb declares its connection against its own copy of the client's types; the two are one interface. */
function embeddedConnection(folder: string): InjectedConnection {
  return createChdbConnection({ path: folder }) as unknown as InjectedConnection;
}
