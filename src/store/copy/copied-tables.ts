import { GatelogError } from '../../model/errors.ts';
import { columnName } from '../../sql/identifier.ts';
import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, type OrganizationTable, systemRows } from '../../sql/tables.ts';
import type { Connections } from '../engine/connections.ts';
import { readRows } from '../engine/statements.ts';
import { laneSettings } from './lane-settings.ts';

/** Why its statements name no organisation. */
export const copiesAll = 'a copy has the records of all organisations';

/** A table whose rows go into a copy of the store. */
export interface CopiedTable {
  readonly name: OrganizationTable;
  /** The time of a row, which never changes. */
  readonly time: Fragment;
  /** Of the rows those that count: earlier ones of the same key may still be there. */
  readonly counts: readonly Fragment[];
  /** All stored columns, in one order on both sides. */
  readonly columns: readonly string[];
  /** Columns that tell that a row came, went or was changed. Of `bodies` not all: its texts change only where `bodyRemovals` counts. */
  readonly key: readonly string[];
  /** Its partitions are months of that time. */
  readonly isMonthly: boolean;
}

interface TableForm {
  readonly time: Fragment;
  readonly isMonthly: boolean;
  /** Absent: all columns. */
  readonly key?: readonly string[];
}

/**
 * A row of `requests` without its body or its history is never seen: they come first. `bodies_before` and `body_moves` are empty in a store
 * that no upgrade is moving; others are refused.
 */
const forms: Readonly<Partial<Record<OrganizationTable, TableForm>>> = {
  bodies: { time: sql`created_at`, isMonthly: true, key: ['org_id', 'request_id', 'created_at'] },
  changes: { time: sql`changed_at`, isMonthly: true, key: ['org_id', 'request_id', 'changed_at', 'number', 'name'] },
  session_changes: { time: sql`changed_at`, isMonthly: false },
  session_tags: { time: sql`changed_at`, isMonthly: false },
  removals: { time: sql`created_at`, isMonthly: false },
  job_requests: { time: sql`created_at`, isMonthly: false },
  requests: { time: sql`created_at`, isMonthly: true, key: ['org_id', 'request_id', 'created_at', 'updated_at', 'session_changes'] },
};

export const copiedTableNames = Object.keys(forms) as readonly OrganizationTable[];

const tags = acrossOrganizations('session_tags', copiesAll);
const newestTag = sql`(org_id, session_id, number) IN ${select({ columns: sql`org_id, session_id, max(number)`, from: tags, groupBy: sql`org_id, session_id` })}`;

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

/** The tables of both stores. @throws GatelogError when they have other columns: they are of two versions. */
export async function copiedTables(from: Connections, to: Connections): Promise<readonly CopiedTable[]> {
  const [here, there] = await Promise.all([columnsOf(from), columnsOf(to)]);
  return Object.entries(forms).map(([name, { time, isMonthly, key }]) => {
    const [own, others] = [here.get(name) ?? [], there.get(name) ?? []];
    if (own.length === 0 || own.join() !== others.join()) {
      throw new GatelogError('internal', `The table ${name} has other columns in the other store: it is of another version of Gatelog.`);
    }
    const columns = own.map((column) => column.slice(0, column.indexOf(' ')));
    const counts = name === 'session_tags' ? [newestTag] : [];
    return { name: name as OrganizationTable, time, counts, columns, key: key ?? columns, isMonthly };
  });
}

/** By table: each column with its type, by name. */
async function columnsOf(connections: Connections): Promise<ReadonlyMap<string, readonly string[]>> {
  const statement = select({
    columns: sql`table, name, type`,
    from: systemRows('columns', [sql`default_kind != ${literal('ALIAS')}`]),
    orderBy: sql`table, name`,
  });
  const rows = await readRows<ColumnRow>(connections, 'copy', compileForAll(statement), laneSettings);
  const byTable = new Map<string, string[]>();
  for (const { table, name, type } of rows) byTable.set(table, [...(byTable.get(table) ?? []), `${name} ${type}`]);
  return byTable;
}

export function columnList(columns: readonly string[]): Fragment {
  return join(columns.map(columnName), ', ');
}
