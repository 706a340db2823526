/**
 * # Free space on the disk of the embedded engine
 *
 * The engine (chdb 3.4.0) does not notice a full disk: it ignores a write that fails with "no space left" and reports the insert as done,
 * and the part with empty files makes the whole table unreadable. A merge could replace good parts by such a one. Its own check of the
 * free bytes, before it begins a part, counts only the bytes that the engine itself writes.
 *
 * A statement that changes a table, even one of its settings, rewrites the table's description. On a full disk that becomes an empty file,
 * and then the store can never be opened again.
 *
 * So some bytes of the disk stay spare. With fewer free bytes no write begins: inserts, changes, erasures and schema steps are refused as
 * if the store were unavailable, records wait in the spool, and merges stop. Only whole months are still dropped, which frees space. The
 * spare bytes serve the writes in flight at that time, and the spool where it shares the disk. The file that passes rows to the engine
 * (`row-files.ts`) is added to them before it is written.
 */
import type { ClickHouseClient } from '@clickhouse/client';
import { GatelogError } from '../../model/errors.ts';
import type { Connections } from './connections.ts';
import type { LaneName } from './lanes.ts';

/** Interval of the checks on merges, milliseconds. */
const lookEveryMs = 200;

/**
 * Runs writing work; `bytes` come on top of the engine's own writes. @throws GatelogError `store_unavailable` without free disk space;
 * `work` has not run then.
 */
export function runWrite<Result>(
  connections: Connections,
  lane: LaneName,
  work: (client: ClickHouseClient) => Promise<Result>,
  bytes = 0,
): Promise<Result> {
  return connections.run(lane, async (client) => {
    assertFreeSpace(connections, bytes);
    return work(client);
  });
}

/** Call it before a writing statement. @throws GatelogError `store_unavailable` without free disk space. */
export function assertFreeSpace(connections: Connections, bytes = 0): void {
  if (connections.hasFreeSpace(bytes)) return;
  throw new GatelogError('store_unavailable', 'The disk of the store is full. Try again when there is room.');
}

/** Stops merges while there is no free disk space. @returns a function that ends this. */
export function watchMerges(connections: Connections): () => void {
  let stopped = false;
  let looking = false;
  const look = async (): Promise<void> => {
    if (connections.hasFreeSpace() === !stopped) return;
    const stop = !stopped;
    // Not behind queries: merges must not continue meanwhile.
    await connections.run('control', (client) => client.command({ query: `SYSTEM ${stop ? 'STOP' : 'START'} MERGES` }));
    stopped = stop;
  };
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    // The next check follows a failed one.
    look()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
