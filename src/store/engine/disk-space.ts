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

/** How often merges are looked after, milliseconds. */
const lookEveryMs = 200;

/** Work that writes; `bytes` of it beside what the engine writes. @throws (from it) GatelogError `store_unavailable` while there is no room; `work` has not run then. */
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

/** To be called before a statement that writes. @throws GatelogError `store_unavailable` while there is no room. */
export function assertFreeSpace(connections: Connections, bytes = 0): void {
  if (connections.hasFreeSpace(bytes)) return;
  throw new GatelogError('store_unavailable', 'The disk of the store is full. Try again when there is room.');
}

/** Lets merges stand still while there is no room. @returns what ends that. */
export function watchMerges(connections: Connections): () => void {
  let stopped = false;
  let looking = false;
  const look = async (): Promise<void> => {
    if (connections.hasFreeSpace() === !stopped) return;
    const stop = !stopped;
    // Not behind queries: merges must not go on meanwhile.
    await connections.run('control', (client) => client.command({ query: `SYSTEM ${stop ? 'STOP' : 'START'} MERGES` }));
    stopped = stop;
  };
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    // A look that fails is followed by the next one.
    look()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
