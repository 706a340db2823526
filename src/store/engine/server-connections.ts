import { setTimeout as wait } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { GatelogError } from '../../model/errors.ts';
import { KeptWrites, lifeOf } from './kept-writes.ts';
import type { Connections, ServerLocation } from './connections.ts';
import { isUnreachable } from './failure.ts';
import { type LaneName, laneStates, type NoteWait, openLanes, type PermitOptions, type ReadConnections } from './lanes.ts';
import { Replicas } from './replicas.ts';
import { openServerClient } from './server-client.ts';
import { catchUp } from './catch-up.ts';

/** Lanes of nothing but reads, which may run again elsewhere: their rows are given out as a whole. */
const reading: ReadonlySet<LaneName> = new Set<LaneName>(['short', 'long', 'export', 'alerts', 'large', 'control']);

/** How long a read waits for a replica that catches up. */
const readWaitMs = 10_000;
/** How often a server is asked whether it is still the one that has acknowledged what is kept. */
const lifeCheckMs = 5000;

/** Opens the connections to servers, of which one does all work: see `replicas.ts`. */
export function openServers({ servers: { urls, cluster }, kept }: ServerLocation, onWait: NoteWait, reads: ReadConnections): Connections {
  const clients: ClickHouseClient[] = [];
  const open = (url: string): ClickHouseClient => {
    const client = openServerClient(url);
    clients.push(client);
    return client;
  };
  const keptWrites = kept && new KeptWrites({ ...kept, now: Date.now, onLate: () => replicas.doubt() });
  const openKeeping = (url: string): ClickHouseClient => keptWrites?.keeping(open(url)) ?? open(url);
  const rest = { recover: async () => undefined, renew: (client: ClickHouseClient) => client, reads, onWait };
  const all = urls.map((url) => openLanes({ ...rest, open: () => openKeeping(url) }));
  const asking = urls.map(open);
  const replicas = new Replicas({
    count: urls.length,
    ping: async (replica) => (await asking[replica]?.ping({ select: true }))?.success === true,
    catchUp: async (replica) => {
      const client = clientAt(asking, replica);
      await catchUp(client);
      if (keptWrites === undefined) return;
      const life = await lifeOf(client);
      if (keptWrites.mayLack(life)) kept?.onOffered(await keptWrites.offerTo(client));
      keptWrites.noteServer(life);
    },
  });
  const endWatch = keptWrites === undefined ? () => undefined : watchLife(keptWrites, replicas, (replica) => clientAt(asking, replica));
  const runOn = async <Result>(lane: LaneName, work: (client: ClickHouseClient) => Promise<Result>, options: PermitOptions) => {
    const replica = replicas.current;
    const ready = async (): Promise<number> => (reading.has(lane) ? within(replicas.ready(), readWaitMs) : replicas.ready());
    try {
      await ready();
      return await clientAt(all, replica)[lane].run(work, options);
    } catch (error) {
      if (!isUnreachable(error) || !replicas.leave(replica) || !reading.has(lane)) throw error;
      return clientAt(all, await ready())[lane].run(work, options);
    }
  };
  return {
    run: (lane, work, options = {}) => runOn(lane, work, options),
    embedded: false,
    cluster,
    rowFiles: undefined,
    hasFreeSpace: () => true,
    measureFreeSpace: () => undefined,
    lanes: () => laneStates(clientAt(all, replicas.current)),
    bodies: { migratedUntil: undefined, removals: 0 },
    close: async () => {
      endWatch();
      replicas.close();
      await Promise.all([...clients.map((client) => client.close()), keptWrites?.close()]);
    },
  };
}

/** Looks whether the server that is used is still the one that has acknowledged what is kept. @returns a function that ends it. */
function watchLife(keptWrites: KeptWrites, replicas: Replicas, clientOf: (replica: number) => ClickHouseClient): () => void {
  const look = async (): Promise<void> => {
    keptWrites.removeOld();
    try {
      if (keptWrites.mayLack(await lifeOf(clientOf(replicas.current)))) replicas.doubt();
    } catch {
      // It cannot be reached: whoever uses it finds out.
    }
  };
  const timer = setInterval(() => void look(), lifeCheckMs).unref();
  return () => clearInterval(timer);
}

/** @throws GatelogError `store_unavailable` once the time is over. */
async function within<Result>(work: Promise<Result>, maxMs: number): Promise<Result> {
  const end = new AbortController();
  const over = wait(maxMs, undefined, { signal: end.signal }).then(() => {
    throw new GatelogError('store_unavailable', 'The store catches up with what it has acknowledged. Try again in a moment.');
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    over.catch(() => undefined);
    end.abort();
  }
}

function clientAt<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new TypeError(`There is no replica ${index}.`);
  return item;
}
