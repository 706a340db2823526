import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { join, sql } from '../../sql/sql.ts';
import { type CompiledSql, compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, systemRows } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { isDamage } from '../engine/failure.ts';
import { readRows } from '../engine/statements.ts';

/** Finds the greatest number of all changes and tags in the store; 0 when there is none. */
export type LatestChangeNumber = () => Promise<number>;

const tables = ['changes', 'session_changes', 'session_tags'] as const;
const reason = 'numbers are given over all organisations';
const maxima = tables.map((table) => sql`${select({ columns: sql`max(number)`, from: acrossOrganizations(table, reason) })}`);
const latest = compileForAll(select({ columns: sql`greatest(${join(maxima, ', ')}) AS latest` }));

/**
 * Where a file of these is damaged: a number is that of its time, or one more than the last, and was written later than it was given. It starts the
 * service with which the part can be set aside.
 */
const latestWritten = compileForAll(
  select({
    columns: sql`toUnixTimestamp(max(greatest(max_time, modification_time))) + 1 AS latest`,
    from: systemRows('parts', [sql`active`, sql`table IN [${join(tables.map(literal), ', ')}]`]),
  }),
);
const numbersInSecond = 1_000_000;

/** Makes the function that finds the number. It reads one column of eight bytes a row. @throws (from it) GatelogError when the store fails. */
export function makeLatestChangeNumber(connections: Connections): LatestChangeNumber {
  const ask = async (statement: CompiledSql): Promise<number> => {
    const [row] = await readRows<{ readonly latest: string | number }>(connections, 'history', statement);
    return Number(row?.latest ?? 0);
  };
  return async () => {
    try {
      return await ask(latest);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return (await ask(latestWritten)) * numbersInSecond;
    }
  };
}
