import type { Connections } from '../engine/connections.ts';
import { isDamage } from '../engine/failure.ts';
import { readRows } from '../delete/removing.ts';

/** Finds when the latest request after a time arrived, both Unix milliseconds; 0 where none is later. @throws GatelogError when the store fails. */
export type LatestArrival = (after: number) => Promise<number>;

const latest = `SELECT toUnixTimestamp64Milli(max(created_at)) AS latest FROM requests
  WHERE created_at > fromUnixTimestamp64Milli({after:Int64}, 'UTC')`;

/** By what the engine knows of its parts, to the second: where a file is damaged. It starts the service with which the part can be set aside. */
const latestByParts = `SELECT (toUnixTimestamp(max(max_time)) + 1) * 1000 AS latest FROM system.parts
  WHERE database = currentDatabase() AND active AND table = 'requests' AND NOT startsWith(name, 'patch-') AND {after:Int64} >= 0`;

/** Makes the function that finds it. Parts with nothing after that time are not read. */
export function makeLatestArrival(connections: Connections): LatestArrival {
  const { signal } = new AbortController();
  return async (after) => {
    const ask = async (text: string): Promise<number> => {
      const [row] = await readRows<{ readonly latest: string | number }>(
        { connections, signal },
        { text, params: { after: String(after) } },
      );
      return Number(row?.latest ?? 0);
    };
    try {
      return await ask(latest);
    } catch (error) {
      if (!isDamage(error)) throw error;
      const latestOfParts = await ask(latestByParts);
      return latestOfParts > after ? latestOfParts : 0;
    }
  };
}
