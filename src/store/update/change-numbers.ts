import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { join, sql } from '../../sql/sql.ts';
import { type CompiledSql, compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, systemRows } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { isDamage } from '../engine/failure.ts';
import { readRows } from '../engine/statements.ts';

/** Finds the maximum number of all changes and tags in the store; 0 when there is none. */
export type LatestChangeNumber = () => Promise<number>;

const tables = ['changes', 'session_changes', 'session_tags'] as const;
const reason = 'numbers are given over all organisations';
const maxima = tables.map((table) => sql`${select({ columns: sql`max(number)`, from: acrossOrganizations(table, reason) })}`);
const latest = compileForAll(select({ columns: sql`greatest(${join(maxima, ', ')}) AS latest` }));

/**
 * An upper bound for the case that a file of these tables is damaged: a number is derived from its time, or one more than the number
 * before, and is written later than it was assigned. The service can start then, and the part can be set aside.
 */
const latestWritten = compileForAll(
  select({
    columns: sql`toUnixTimestamp(max(greatest(max_time, modification_time))) + 1 AS latest`,
    from: systemRows('parts', [sql`active`, sql`table IN [${join(tables.map(literal), ', ')}]`]),
  }),
);
const numbersInSecond = 1_000_000;

/** The query reads one column of eight bytes per row. @throws (from the function) GatelogError when the store fails. */
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
