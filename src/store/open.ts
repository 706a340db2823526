import { setTimeout as wait } from 'node:timers/promises';
import type { ChangeLog } from './read/change-log.ts';
import type { Config } from '../config/load.ts';
import { GatelogError, messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import type { ClickHouseServers } from '../config/clickhouse-url.ts';
import { makeDatabase } from './schema/make-database.ts';
import { madeAtOnce } from './schema/migrate.ts';
import type { Connect, ServerLocation } from './engine/connections.ts';
import { isUnreachable } from './engine/failure.ts';
import type { NoteWait } from './engine/lanes.ts';
import { makeBackoff } from '../platform/backoff.ts';
import { lowerThreadsNamed } from '../platform/priority.ts';
import type { DamagedPart } from './parts/damaged-parts.ts';
import { openStore, type Store, type StoreOptions } from './store.ts';
import { dataPaths } from '../config/data-paths.ts';

/** The embedded engine's name for its merging threads. */
const mergingThreads = 'MergeMutate';

interface StorePorts {
  readonly onWait: NoteWait;
  readonly connect?: Connect | undefined;
  readonly changeLog?: ChangeLog | undefined;
}

/** Opens the store and migrates its tables. @throws with a sentence for people when a configured server is unusable. */
export async function openReadyStore(config: Config, observe: Observe, { onWait, connect, changeLog }: StorePorts): Promise<Store> {
  const { clickhouseUrl: servers } = config;
  const options: StoreOptions = {
    queryTimeoutMs: config.queryTimeoutMs,
    queryMaxWaitMs: config.queryMaxWaitMs,
    queryMemoryBytes: config.storeMemoryBytes,
    readConnections: { short: config.storeShortConnections, long: config.storeLongConnections },
    onWait,
    changeLog,
    onDamage: ({ isLost, ...part }: DamagedPart) => observe({ kind: isLost ? 'store_part_lost' : 'store_part_damaged', ...part }),
  };
  if (servers === undefined) {
    const location = { folder: dataPaths(config).store, spareBytes: config.storeSpareBytes, cacheBytes: config.storeCacheBytes };
    return prepared(openStore(location, options, connect), observe);
  }
  return openOnServers(servers, { observe, open: (location) => openStore(location, options, connect) });
}

interface ServerStart {
  readonly observe: Observe;
  readonly open: (location: ServerLocation) => Store;
}

/** Between two tries of servers that are away. */
const [firstRetryMs, maxRetryMs] = [500, 5000] as const;

/** Waits for servers that cannot be reached; what they say themselves ends the start. */
async function openOnServers(servers: ClickHouseServers, { observe, open }: ServerStart): Promise<Store> {
  const backoff = makeBackoff(firstRetryMs, maxRetryMs);
  for (;;) {
    try {
      await makeDatabase(servers);
      return await prepared(open({ servers }), observe);
    } catch (error) {
      const reason = unusableServer(servers, error);
      if (!isUnreachable(error)) throw new Error(reason, { cause: error });
      observe({ kind: 'store_awaited', reason });
      await wait(backoff.nextDelayMs());
    }
  }
}

/** Opens a store beside the one of the service, as it is. @throws with a sentence for people where it cannot be reached. */
export async function openOther(
  config: Config,
  observe: Observe,
): Promise<{ readonly store: Store; readonly prepare: () => Promise<void> }> {
  const { clickhouseUrl: servers } = config;
  const options: StoreOptions = { queryTimeoutMs: config.queryTimeoutMs, queryMemoryBytes: config.storeMemoryBytes };
  try {
    if (servers !== undefined) await makeDatabase(servers);
    const location =
      servers === undefined
        ? { folder: dataPaths(config).store, spareBytes: config.storeSpareBytes, cacheBytes: config.storeCacheBytes }
        : { servers };
    const store = openStore(location, options);
    return { store, prepare: async () => void (await brought(store, observe)) };
  } catch (error) {
    if (servers === undefined) throw error;
    throw new GatelogError('store_unavailable', `ClickHouse at ${hostsOf(servers)} cannot be used: ${reasonOf(error)}.`, { cause: error });
  }
}

/** Records and queries have priority over merges. The API already serves meanwhile. */
export async function lowerMerges(store: Store): Promise<void> {
  try {
    await store.startThreads();
    lowerThreadsNamed(mergingThreads);
  } catch {
    // The store reports its own absence where it matters; merges keep their priority.
  }
}

async function prepared(store: Store, observe: Observe): Promise<Store> {
  try {
    return await brought(store, observe);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Brings its tables up to date. */
async function brought(store: Store, observe: Observe): Promise<Store> {
  const steps: string[] = [];
  await store.migrate((name) => steps.push(name));
  await store.moveBodies.open();
  await store.indexWords.open();
  // A refresh follows every minute.
  await store.damage.refresh().catch(() => undefined);
  if (steps.length > 0) observe({ kind: 'database_prepared', database: 'store', isNew: steps.includes(madeAtOnce), steps });
  return store;
}

/** Characters of the server's or the network's message. */
const maxReason = 200;

/** Names hosts alone: addresses hold secrets, and the message reaches callers of the API. */
function unusableServer(servers: ClickHouseServers, error: unknown): string {
  return (
    `ClickHouse at ${hostsOf(servers)} (GATELOG_CLICKHOUSE_URL) cannot be used: ${reasonOf(error)}. ` +
    'Start it or fix the address; without this setting the embedded store is used.'
  );
}

function hostsOf({ urls }: ClickHouseServers): string {
  return urls.map((url) => new URL(url).host).join(', ');
}

function reasonOf(error: unknown): string {
  const reason = messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error).split('\n', 1)[0] ?? '';
  return reason.slice(0, maxReason).replace(/\.$/, '');
}
