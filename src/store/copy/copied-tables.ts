import { columnName } from '../../sql/identifier.ts';
import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, join, sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, type OrganizationTable, systemRows } from '../../sql/tables.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Connections } from '../engine/connections.ts';
import { readRows } from '../engine/statements.ts';

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
  /** Its partitions are months of that time. */
  readonly isMonthly: boolean;
  /** Columns without the texts of bodies: enough to see that rows were added or removed. */
  readonly light: readonly string[];
}

/** `bodies_before` and `body_moves` are empty in a store that no upgrade is moving; others are refused. */
const times: Readonly<Partial<Record<OrganizationTable, Fragment>>> = {
  // A row of `requests` without its body or its history is never seen: they come first.
  bodies: sql`created_at`,
  changes: sql`changed_at`,
  session_changes: sql`changed_at`,
  session_tags: sql`changed_at`,
  removals: sql`created_at`,
  job_requests: sql`created_at`,
  requests: sql`created_at`,
};

const monthly: ReadonlySet<string> = new Set(['requests', 'bodies', 'changes']);

const texts: ReadonlySet<string> = new Set([
  'request_body',
  'request_rest',
  'response_body',
  'response_rest',
  'prompt_text',
  'last_user_text',
  'completion_text',
]);

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
  return Object.entries(times).map(([name, time]) => {
    const [own, others] = [here.get(name) ?? [], there.get(name) ?? []];
    if (own.length === 0 || own.join() !== others.join()) {
      throw new GatelogError('internal', `The table ${name} has other columns in the other store: it is of another version of Gatelog.`);
    }
    const columns = own.map((column) => column.slice(0, column.indexOf(' ')));
    return {
      name: name as OrganizationTable,
      time,
      isMonthly: monthly.has(name),
      counts: name === 'session_tags' ? [newestTag] : [],
      columns,
      light: columns.filter((column) => !texts.has(column)),
    };
  });
}

/** By table: each column with its type, by name. */
async function columnsOf(connections: Connections): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await readRows<ColumnRow>(
    connections,
    'copy',
    compileForAll(
      select({
        columns: sql`table, name, type`,
        from: systemRows('columns', [sql`default_kind != ${literal('ALIAS')}`]),
        orderBy: sql`table, name`,
      }),
    ),
  );
  const byTable = new Map<string, string[]>();
  for (const { table, name, type } of rows) byTable.set(table, [...(byTable.get(table) ?? []), `${name} ${type}`]);
  return byTable;
}

export function columnList(columns: readonly string[]): Fragment {
  return join(columns.map(columnName), ', ');
}
