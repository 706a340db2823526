import type { ClickHouseClient } from '@clickhouse/client';
import type { Connections, ServerLocation } from './connections.ts';
import { isUnreachable } from './failure.ts';
import { type LaneName, laneStates, type NoteWait, openLanes, type PermitOptions, type ReadConnections } from './lanes.ts';
import { Replicas } from './replicas.ts';
import { openServerClient } from './server-client.ts';
import { catchUp } from './catch-up.ts';
import { RewrittenHours } from './rewritten-hours.ts';

/** Lanes of nothing but reads, which may run again elsewhere: their rows are given out as a whole. */
const reading: ReadonlySet<LaneName> = new Set<LaneName>(['short', 'long', 'export', 'alerts', 'large', 'control']);

/** Opens the connections to servers, of which one does all work: see `replicas.ts`. */
export function openServers({ servers: { urls, cluster } }: ServerLocation, onWait: NoteWait, reads: ReadConnections): Connections {
  const clients: ClickHouseClient[] = [];
  const open = (url: string): ClickHouseClient => {
    const client = openServerClient(url, { isOneOfSeveral: urls.length > 1 });
    clients.push(client);
    return client;
  };
  const rest = { recover: async () => undefined, renew: (client: ClickHouseClient) => client, reads, onWait };
  const all = urls.map((url) => openLanes({ ...rest, open: () => open(url) }));
  const asking = urls.map(open);
  const replicas = new Replicas({
    count: urls.length,
    ping: async (replica) => (await asking[replica]?.ping({ select: true }))?.success === true,
    catchUp: (replica) => catchUp(clientAt(asking, replica)),
  });
  const runOn = async <Result>(lane: LaneName, work: (client: ClickHouseClient) => Promise<Result>, options: PermitOptions) => {
    const replica = replicas.current;
    try {
      await replicas.ready();
      return await clientAt(all, replica)[lane].run(work, options);
    } catch (error) {
      if (!isUnreachable(error) || !replicas.leave(replica) || !reading.has(lane)) throw error;
      return clientAt(all, await replicas.ready())[lane].run(work, options);
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
    bodies: { migratedUntil: undefined, removals: 0, rewritten: new RewrittenHours() },
    close: async () => {
      replicas.close();
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

function clientAt<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new TypeError(`There is no replica ${index}.`);
  return item;
}
