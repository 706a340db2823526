/**
 * # Room on the disk of the embedded engine
 *
 * The engine (chdb 3.4.0) does not notice that the disk takes no more: a write that fails with "no space left" is passed over, the insert is
 * answered as done, and its part, with empty files, makes its whole table unreadable. A merge could replace good parts by such a one. What it does
 * look at, the free bytes before a part is begun, holds only for what the engine itself writes.
 *
 * A statement that changes a table, if only a setting of it, writes its description anew: with no byte free that is an empty file afterwards, with
 * which the store can never be opened again.
 *
 * So some of the disk stays spare. With less than that free nothing is begun that writes: inserts, changes, erasures and steps of the schema are
 * refused as from a store that is away, records wait in the spool, and merges stand still. Only whole months are dropped, which makes room. The spare bytes are for what is under way then, and for the spool where it is on the
 * same disk. The file through which rows reach the engine (`row-files.ts`) is counted beside them before it is written.
 */
import type { ClickHouseClient } from '@clickhouse/client';
import { GatelogError } from '../../model/errors.ts';
import type { Connections, LaneName } from './connections.ts';

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
