import type { Connections } from './connections.ts';
import { storeFailure } from './failure.ts';

/** Finds the greatest number of all changes and tags in the store; 0 when there is none. */
export type LatestChangeNumber = () => Promise<number>;

const tables = ['changes', 'session_changes', 'session_tags'] as const;
const latest = `SELECT greatest(${tables.map((table) => `(SELECT max(number) FROM ${table})`).join(', ')}) AS latest`;

/** Makes the function that finds the number. It reads one column of eight bytes a row. @throws (from it) GatelogError when the store fails. */
export function makeLatestChangeNumber(connections: Connections): LatestChangeNumber {
  return async () => {
    try {
      return await connections.run('history', async (client) => {
        const result = await client.query({ query: latest, format: 'JSONEachRow' });
        const [row] = await result.json<{ latest: string | number }>();
        return Number(row?.latest ?? 0);
      });
    } catch (error) {
      throw storeFailure(error);
    }
  };
}
