import type { Connections } from './connections.ts';
import { readRows } from './removing.ts';

/** Finds when the latest request after a time arrived, both Unix milliseconds; 0 where none is later. @throws GatelogError when the store fails. */
export type LatestArrival = (after: number) => Promise<number>;

const latest = `SELECT toUnixTimestamp64Milli(max(created_at)) AS latest FROM requests
  WHERE created_at > fromUnixTimestamp64Milli({after:Int64}, 'UTC')`;

/** Makes the function that finds it. Parts with nothing after that time are not read. */
export function makeLatestArrival(connections: Connections): LatestArrival {
  const { signal } = new AbortController();
  return async (after) => {
    const [row] = await readRows<{ readonly latest: string | number }>(
      { connections, signal },
      { text: latest, params: { after: String(after) } },
    );
    return Number(row?.latest ?? 0);
  };
}
