import { select } from '../../sql/query.ts';
import { type Query, sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, systemRows } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import type { Connections } from '../engine/connections.ts';
import { isDamage } from '../engine/failure.ts';
import { readRows } from '../engine/statements.ts';

/**
 * Finds the arrival of the latest request after a time, both Unix milliseconds; 0 when none is later.
 * @throws GatelogError when the store fails.
 */
export type LatestArrival = (after: number) => Promise<number>;

/** Parts without rows after that time are not read. */
export function makeLatestArrival(connections: Connections): LatestArrival {
  const ask = async (query: Query): Promise<number> => {
    const [row] = await readRows<{ readonly latest: string | number }>(connections, 'removal', compileForAll(query));
    return Number(row?.latest ?? 0);
  };
  return async (after) => {
    try {
      return await ask(latestAfter(after));
    } catch (error) {
      if (!isDamage(error)) throw error;
      const latestOfParts = await ask(latestByParts);
      return latestOfParts > after ? latestOfParts : 0;
    }
  };
}

function latestAfter(after: number): Query {
  const later = sql`created_at > ${dateTime64(after, 'after')}`;
  const from = acrossOrganizations('requests', 'the clock is one for all', later);
  return select({ columns: sql`toUnixTimestamp64Milli(max(created_at)) AS latest`, from });
}

/**
 * From the engine's metadata of its parts, to the second, when a file is damaged. The service can start then, and the part can be set
 * aside.
 */
const latestByParts = select({
  columns: sql`(toUnixTimestamp(max(max_time)) + 1) * 1000 AS latest`,
  from: systemRows('parts', sql`active AND table = 'requests' AND NOT startsWith(name, 'patch-')`),
});
