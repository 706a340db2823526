import { allNew } from './new-words.ts';
import { concat, type Fragment, fragmentOf, join, type Parts, type Piece, sql } from './sql.ts';
import { dateTime64 } from './time.ts';

/** Tables whose rows belong to the organisation of their `org_id`. */
export const organizationTables = [
  'requests',
  'bodies',
  'bodies_before',
  'changes',
  'session_tags',
  'session_changes',
  'removals',
  'job_requests',
] as const;

export type OrganizationTable = (typeof organizationTables)[number];

/** Tables of the record, and `body_moves`: how far bodies are moved. */
export type StoreTable = OrganizationTable | 'body_moves';

export function isStoreTable(name: string): name is StoreTable {
  return name === 'body_moves' || organizationTables.some((table) => table === name);
}

/** A condition, or several joined by AND; an empty list is always true. */
export type Where = Fragment | readonly Fragment[];

/** Rows of a table, for `FROM`, `UPDATE` or `DELETE`: its name and the complete WHERE. */
export interface Rows {
  readonly kind: 'rows';
  readonly table: string;
  /** True for rows of all organisations. */
  readonly across: boolean;
  /** Empty: all rows. */
  readonly condition: Fragment;
  /** A derived table with the same rows while they are being moved from another table. */
  readonly meanwhile?: readonly Piece[];
}

const acrossMark = fragmentOf([Object.freeze({ kind: 'across' })]);
const organizationIs = fragmentOf(['org_id = ', Object.freeze({ kind: 'tenant' })]);

/** Rows of the statement's organisation. */
export function tenantRows(table: OrganizationTable, where: Where = []): Rows {
  const condition = allOf(where);
  const held = condition.pieces.length === 0 ? organizationIs : fragmentOf(concat([organizationIs, ' AND (', condition, ')']));
  return Object.freeze({ kind: 'rows', table, across: false, condition: held });
}

export function requests(where?: Where): Rows {
  return tenantRows('requests', where);
}

/** Rows of `bodies`, and of `bodies_before` while those are being moved. @param inGroups conditions on columns that only `bodies` has. */
export function bodies(where: Where = [], inGroups: readonly Fragment[] = []): Rows {
  const shared = allOf(where);
  const conditions = shared.pieces.length === 0 ? [] : [shared];
  const stays = tenantRows('bodies', [...inGroups, ...conditions, sql`NOT (moved AND created_at >= ${migratedUntil})`]);
  const moves = tenantRows('bodies_before', [...conditions, sql`created_at >= ${migratedUntil}`]);
  const meanwhile = concat([
    `(SELECT ${bodiesColumns.join(', ')}, body_group, new_spans FROM bodies`,
    ...whereOf(stays),
    ` UNION ALL SELECT ${bodiesColumns.map((name) => (name.endsWith('_spans') ? `${noSpans} AS ${name}` : name)).join(', ')}, toUInt64(0) AS body_group, `,
    allNew,
    ' AS new_spans FROM bodies_before',
    ...whereOf(moves),
    ')',
  ]);
  return Object.freeze({ ...tenantRows('bodies', [...inGroups, ...conditions]), meanwhile });
}

/** The parameter of statements that run while bodies are moved: Unix milliseconds, rows before it are in `bodies`. */
export const migratedUntilParameter = 'bodies_moved_to';
const migratedUntil = dateTime64(0, migratedUntilParameter);
const noSpans = "CAST([], 'Array(Tuple(UInt32, UInt32))')";

/** Columns of `bodies` that are read. `bodies_before` has those of them that are no spans. */
export const bodiesColumns = [
  'created_at',
  'request_id',
  'request_kind',
  'request_body',
  'request_rest',
  'request_content_type',
  'response_kind',
  'response_body',
  'response_rest',
  'response_content_type',
  'prompt_text',
  'prompt_spans',
  'last_user_text',
  'last_user_spans',
  'completion_text',
  'completion_spans',
] as const;

/**
 * Rows of all organisations, for work on the store as a whole. `test/tidy/law.ts` lists the files that may call it.
 * @param _reason why no organisation is named; for readers.
 */
export function acrossOrganizations(table: StoreTable, _reason: string, where: Where = []): Rows {
  return Object.freeze({ kind: 'rows', table, across: true, condition: allOf(where) });
}

/** System tables of the engine, restricted to the store's own database. */
export function systemRows(
  table: 'parts' | 'parts_columns' | 'columns' | 'detached_parts' | 'mutations' | 'tables' | 'data_skipping_indices',
  where: Where = [],
): Rows {
  const condition = join([fragmentOf(['database = currentDatabase()']), ...('kind' in where ? [where] : where)], ' AND ');
  return Object.freeze({ kind: 'rows', table: `system.${table}`, across: false, condition });
}

/** Statements that run in the store's own database. */
export function runningStatements(where: Fragment): Rows {
  const condition = join([fragmentOf(['current_database = currentDatabase()']), where], ' AND ');
  return Object.freeze({ kind: 'rows', table: 'system.processes', across: false, condition });
}

export function tableOf({ table, across }: Rows): Parts {
  return across ? [acrossMark, table] : [table];
}

export function whereOf({ condition }: Rows): Parts {
  return condition.pieces.length === 0 ? [] : [' WHERE ', condition];
}

function allOf(where: Where): Fragment {
  return 'kind' in where ? where : join(where, ' AND ');
}
