import type { Connections } from '../engine/connections.ts';
import { isDamage, storeFailure } from '../engine/failure.ts';

/** Finds the greatest number of all changes and tags in the store; 0 when there is none. */
export type LatestChangeNumber = () => Promise<number>;

const tables = ['changes', 'session_changes', 'session_tags'] as const;
const latest = `SELECT greatest(${tables.map((table) => `(SELECT max(number) FROM ${table})`).join(', ')}) AS latest`;

/**
 * Where a file of these is damaged: a number is that of its time, or one more than the last, and was written later than it was given. It starts the
 * service with which the part can be set aside.
 */
const latestWritten = `SELECT toUnixTimestamp(max(greatest(max_time, modification_time))) + 1 AS latest FROM system.parts
  WHERE database = currentDatabase() AND active AND table IN (${tables.map((table) => `'${table}'`).join(', ')})`;
const numbersInSecond = 1_000_000;

/** Makes the function that finds the number. It reads one column of eight bytes a row. @throws (from it) GatelogError when the store fails. */
export function makeLatestChangeNumber(connections: Connections): LatestChangeNumber {
  const ask = (query: string): Promise<number> =>
    connections.run('history', async (client) => {
      const result = await client.query({ query, format: 'JSONEachRow' });
      const [row] = await result.json<{ latest: string | number }>();
      return Number(row?.latest ?? 0);
    });
  return async () => {
    try {
      try {
        return await ask(latest);
      } catch (error) {
        if (!isDamage(error)) throw error;
        return (await ask(latestWritten)) * numbersInSecond;
      }
    } catch (error) {
      throw storeFailure(error);
    }
  };
}
