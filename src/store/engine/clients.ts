import { type ClickHouseClient, type ClickHouseClientConfigOptions, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { EmbeddedConnection } from './embedded-connection.ts';
import { startEmbeddedEngine } from './embedded-engine.ts';

/** The clients of a store, one per connection. */
export class Clients {
  private readonly location: { readonly folder: string; readonly cacheBytes?: number } | { readonly url: string };
  /** The connection of each client to the embedded engine. */
  private readonly opened = new Map<ClickHouseClient, EmbeddedConnection | undefined>();
  private readonly endEngine: () => void;

  /** @throws when another process holds the embedded folder. */
  constructor(location: Clients['location']) {
    this.location = location;
    this.endEngine = 'folder' in location ? startEmbeddedEngine(location.folder, location.cacheBytes) : () => undefined;
  }

  /** @throws when another process holds the embedded folder. */
  open(): ClickHouseClient {
    return 'folder' in this.location ? this.openEmbedded(this.location.folder) : this.openServer(this.location.url);
  }

  /** Call it while no query runs. @returns the client for the next query: a new one when this one's connection is spent. */
  renewed(client: ClickHouseClient): ClickHouseClient {
    if (this.opened.get(client)?.isSpent !== true) return client;
    try {
      const next = this.open();
      this.opened.delete(client);
      void client.close();
      return next;
    } catch {
      // A spent connection is only slow, and the next call tries again.
      return client;
    }
  }

  async close(): Promise<void> {
    for (const client of this.opened.keys()) await client.close();
    this.endEngine();
  }

  private openEmbedded(path: string): ClickHouseClient {
    const connection = new EmbeddedConnection({ path });
    const client = createClient({ connection: injected(connection) });
    this.opened.set(client, connection);
    return client;
  }

  private openServer(url: string): ClickHouseClient {
    // We report failures ourselves; the client would write its own lines to the console.
    const client = createClient({ url, request_timeout: 120_000, log: { level: ClickHouseLogLevel.OFF } });
    this.opened.set(client, undefined);
    return client;
  }
}

type InjectedConnection = NonNullable<ClickHouseClientConfigOptions['connection']>;

/** chdb declares its connection against its own copy of the client's types; the two are one interface. */
function injected(connection: EmbeddedConnection): InjectedConnection {
  return connection as unknown as InjectedConnection;
}
