import { type ClickHouseClient, type ClickHouseClientConfigOptions, createClient } from '@clickhouse/client';
import { EmbeddedConnection } from './embedded-connection.ts';
import { startEmbeddedEngine } from './embedded-engine.ts';

/** The clients of the engine in this process, one per connection. */
export class EmbeddedClients {
  private readonly folder: string;
  /** The connection of each client. */
  private readonly opened = new Map<ClickHouseClient, EmbeddedConnection>();
  private readonly endEngine: () => void;

  /** @throws when another process holds the folder. */
  constructor(folder: string, cacheBytes: number | undefined) {
    this.folder = folder;
    this.endEngine = startEmbeddedEngine(folder, cacheBytes);
  }

  /** @throws when another process holds the folder. */
  open(): ClickHouseClient {
    const connection = new EmbeddedConnection({ path: this.folder });
    const client = createClient({ connection: injected(connection) });
    this.opened.set(client, connection);
    return client;
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
}

type InjectedConnection = NonNullable<ClickHouseClientConfigOptions['connection']>;

/** chdb declares its connection against its own copy of the client's types; the two are one interface. */
function injected(connection: EmbeddedConnection): InjectedConnection {
  return connection as unknown as InjectedConnection;
}
