import { select } from '../../sql/query.ts';
import { literal } from '../../sql/literal.ts';
import { join, sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { runningStatements, systemRows } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { readRows } from '../engine/statements.ts';
import { copiedTableNames } from './copied-tables.ts';
import { laneSettings } from './lane-settings.ts';

interface Counted {
  readonly running: number | string;
}

/**
 * Whether no statement of ours writes to the tables of a store, and no mutation waits. TRICKY: a server goes on with a statement whose
 * connection ended; the engine of this process does not, and its lane gives one statement after the other.
 * @throws GatelogError when the store fails.
 */
export async function isAtRest(connections: Connections): Promise<boolean> {
  if (connections.embedded) return true;
  const writes = runningStatements(sql`query_kind IN ('Insert', 'Alter', 'Delete', 'Update')`);
  const isOurs = join(
    copiedTableNames.map((name) => sql`table = ${literal(name)}`),
    ' OR ',
  );
  const mutations = systemRows('mutations', sql`NOT is_done AND (${isOurs})`);
  for (const rows of [writes, mutations]) {
    const statement = compileForAll(select({ columns: sql`count() AS running`, from: rows }));
    const [counted] = await readRows<Counted>(connections, 'copy', statement, laneSettings);
    if (Number(counted?.running) > 0) return false;
  }
  return true;
}
