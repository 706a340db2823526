import { concat, type Fragment, fragmentOf, join, type Parts } from './sql.ts';

/** Tables whose rows belong to organisations, each row to that of its `org_id`. */
export const organizationTables = ['requests', 'bodies', 'changes', 'session_tags', 'session_changes', 'removals'] as const;

export type OrganizationTable = (typeof organizationTables)[number];

export function isOrganizationTable(name: string): name is OrganizationTable {
  return organizationTables.some((table) => table === name);
}

/** A condition, or several that all hold; an empty list holds always. */
export type Where = Fragment | readonly Fragment[];

/** Rows of a table, for `FROM`, `UPDATE` or `DELETE`: its name, and the whole of the WHERE. */
export interface Rows {
  readonly kind: 'rows';
  readonly table: string;
  /** Of every organisation. */
  readonly across: boolean;
  /** Empty: all rows. */
  readonly condition: Fragment;
}

const acrossMark = fragmentOf([Object.freeze({ kind: 'across' })]);
const organizationIs = fragmentOf(['org_id = ', Object.freeze({ kind: 'tenant' })]);

/** Rows of the organisation whose statement this becomes a part of. */
export function ownRows(table: OrganizationTable, where: Where = []): Rows {
  const condition = allOf(where);
  const held = condition.pieces.length === 0 ? organizationIs : fragmentOf(concat([organizationIs, ' AND (', condition, ')']));
  return Object.freeze({ kind: 'rows', table, across: false, condition: held });
}

/** The organisation's {@link ownRows} of `requests`. */
export function requests(where?: Where): Rows {
  return ownRows('requests', where);
}

/** The organisation's {@link ownRows} of `bodies`. */
export function bodies(where?: Where): Rows {
  return ownRows('bodies', where);
}

/**
 * Rows of every organisation, for what concerns the store as a whole. `test/tidy/law.ts` lists the files that may call it.
 * @param _reason why no organisation is named; for readers.
 */
export function acrossOrganizations(table: OrganizationTable, _reason: string, where: Where = []): Rows {
  return Object.freeze({ kind: 'rows', table, across: true, condition: allOf(where) });
}

/** What the engine knows of the store's own database. */
export function systemRows(table: 'parts' | 'detached_parts' | 'mutations' | 'tables', where: Where = []): Rows {
  const condition = join([fragmentOf(['database = currentDatabase()']), ...('kind' in where ? [where] : where)], ' AND ');
  return Object.freeze({ kind: 'rows', table: `system.${table}`, across: false, condition });
}

/** The name of the table, as it stands in a statement. */
export function tableOf({ table, across }: Rows): Parts {
  return across ? [acrossMark, table] : [table];
}

/** WHERE with the condition of the rows. */
export function whereOf({ condition }: Rows): Parts {
  return condition.pieces.length === 0 ? [] : [' WHERE ', condition];
}

function allOf(where: Where): Fragment {
  return 'kind' in where ? where : join(where, ' AND ');
}
