import { select } from '../../sql/query.ts';
import { sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { isDamage } from '../engine/failure.ts';
import { readRows } from '../engine/statements.ts';

/** Finds the greatest number in the order of storage, 0 without one; undefined when a damaged file has it. @throws GatelogError when the store fails. */
export type LatestStoredNumber = () => Promise<number | undefined>;

export function makeLatestStoredNumber(connections: Connections): LatestStoredNumber {
  const from = acrossOrganizations('requests', 'records of all organisations have one order');
  const latest = compileForAll(select({ columns: sql`max(stored_number) AS latest`, from }));
  return async () => {
    try {
      const [row] = await readRows<{ readonly latest: string | number }>(connections, 'removal', latest);
      return Number(row?.latest ?? 0);
    } catch (error) {
      if (isDamage(error)) return undefined;
      throw error;
    }
  };
}
