import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import { makeBackoff } from '../../platform/backoff.ts';
import { makeHasFreeSpace, makeMeasureDiskSpace } from '../../platform/disk-space.ts';
import { ensureFolder } from '../../platform/files.ts';
import type { Connections, EmbeddedLocation } from './connections.ts';
import { EmbeddedClients } from './embedded-clients.ts';
import { laneStates, type NoteWait, openLanes, type ReadConnections } from './lanes.ts';
import { RowFiles } from './row-files.ts';
import { RewrittenHours } from './rewritten-hours.ts';

/** Bytes to keep free by default. */
const defaultSpareBytes = 256 * 1024 * 1024;

/** Opens the connections to the engine of this process. @throws when another process holds the folder. */
export function openEmbedded(location: EmbeddedLocation, onWait: NoteWait, reads: ReadConnections): Connections {
  const { folder, spareBytes = defaultSpareBytes, cacheBytes } = location;
  ensureFolder(folder);
  const closing = new AbortController();
  const clients = new EmbeddedClients(folder, cacheBytes);
  const lanes = openLanes({
    open: () => clients.open(),
    recover: (client) => resetConnection(client, closing.signal),
    renew: (client) => (closing.signal.aborted ? client : clients.renewed(client)),
    reads,
    onWait,
  });
  return {
    run: (lane, work, options = {}) => lanes[lane].run(work, options),
    embedded: true,
    cluster: undefined,
    rowFiles: new RowFiles(path.join(folder, 'incoming')),
    hasFreeSpace: makeHasFreeSpace(folder, spareBytes),
    measureFreeSpace: makeMeasureDiskSpace(folder, spareBytes),
    lanes: () => laneStates(lanes),
    bodies: { migratedUntil: undefined, removals: 0, rewritten: new RewrittenHours() },
    close: async () => {
      closing.abort();
      await clients.close();
    },
  };
}

const firstRetryMs = 10;
const maxRetryMs = 1000;

/**
 * TRICKY: rows that a failed query has already returned stay in its embedded connection and precede the next result there, whoever sent
 * that query. So such a connection is used again only after it has answered a check exactly.
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
