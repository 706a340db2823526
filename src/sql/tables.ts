import { concat, type Fragment, fragmentOf, join, type Parts } from './sql.ts';

/** Tables whose rows belong to the organisation of their `org_id`. */
export const organizationTables = ['requests', 'bodies', 'changes', 'session_tags', 'session_changes', 'removals'] as const;

export type OrganizationTable = (typeof organizationTables)[number];

export function isOrganizationTable(name: string): name is OrganizationTable {
  return organizationTables.some((table) => table === name);
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
}

const acrossMark = fragmentOf([Object.freeze({ kind: 'across' })]);
const organizationIs = fragmentOf(['org_id = ', Object.freeze({ kind: 'tenant' })]);

/** Rows of the statement's organisation. */
export function ownRows(table: OrganizationTable, where: Where = []): Rows {
  const condition = allOf(where);
  const held = condition.pieces.length === 0 ? organizationIs : fragmentOf(concat([organizationIs, ' AND (', condition, ')']));
  return Object.freeze({ kind: 'rows', table, across: false, condition: held });
}

export function requests(where?: Where): Rows {
  return ownRows('requests', where);
}

export function bodies(where?: Where): Rows {
  return ownRows('bodies', where);
}

/**
 * Rows of all organisations, for work on the store as a whole. `test/tidy/law.ts` lists the files that may call it.
 * @param _reason why no organisation is named; for readers.
 */
export function acrossOrganizations(table: OrganizationTable, _reason: string, where: Where = []): Rows {
  return Object.freeze({ kind: 'rows', table, across: true, condition: allOf(where) });
}

/** System tables of the engine, restricted to the store's own database. */
export function systemRows(table: 'parts' | 'detached_parts' | 'mutations' | 'tables', where: Where = []): Rows {
  const condition = join([fragmentOf(['database = currentDatabase()']), ...('kind' in where ? [where] : where)], ' AND ');
  return Object.freeze({ kind: 'rows', table: `system.${table}`, across: false, condition });
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
