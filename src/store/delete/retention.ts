import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import type { Connections } from '../engine/connections.ts';
import { deleteRows } from '../../sql/commands.ts';
import { literal } from '../../sql/literal.ts';
import { select } from '../../sql/query.ts';
import { type Fragment, param, sql } from '../../sql/sql.ts';
import { compileForAll } from '../../sql/statement.ts';
import { acrossOrganizations, type OrganizationTable, type Rows, systemRows } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import { dropPartitions, readForRemoval, removalSettings, removeRows, type RemovingParts } from '../parts/remove-rows.ts';

export interface Expiry {
  /** Undefined: all organisations. */
  readonly organizations: readonly OrganizationId[] | undefined;
  /** Unix milliseconds: rows of this time stay. */
  readonly before: number;
}

/**
 * Deletes expired rows; no query finds them from then on. Repeatable.
 * @returns the number of deleted requests.
 * @throws GatelogError when the store fails, `store_unavailable` without free disk space, though whole months are deleted even then; the
 * abort reason when the signal aborts.
 */
export type RemoveExpired = (expiry: Expiry, signal: AbortSignal) => Promise<number>;

interface DatedTable {
  readonly table: OrganizationTable;
  /** The time of a row. */
  readonly time: Fragment;
  readonly monthly: boolean;
}

/** In this order, because a visible request must have its bodies. */
const datedTables: readonly DatedTable[] = [
  { table: 'requests', time: sql`created_at`, monthly: true },
  { table: 'bodies', time: sql`created_at`, monthly: true },
  { table: 'bodies_before', time: sql`created_at`, monthly: true },
  { table: 'changes', time: sql`changed_at`, monthly: true },
  { table: 'session_changes', time: sql`changed_at`, monthly: false },
];

/** An {@link Expiry} as SQL. */
interface Expired {
  /** Rows of its organisations. */
  readonly rows: (table: OrganizationTable, where: readonly Fragment[]) => Rows;
  readonly before: Fragment;
}

export function makeRemoveExpired(connections: Connections): RemoveExpired {
  return async (expiry, signal) => {
    const parts: RemovingParts = { connections, signal };
    const expired = expiredBy(expiry);
    const { rows, before } = expired;
    const gone = await countRows(parts, rows('requests', [sql`created_at < ${before}`]));
    // Invariant: only late history precedes the dropping of months, which frees the space that other work needs: its requests must still
    // exist. Without space it stays until it expires itself.
    if (connections.hasFreeSpace()) await removeLateHistory(parts, expired);
    if (expiry.organizations === undefined) {
      for (const { table, monthly } of datedTables) if (monthly) await dropMonths(parts, table, before);
    }
    for (const dated of datedTables) await hideRows(parts, dated, expired);
    await removeTags(parts, expired);
    return gone;
  };
}

function expiredBy({ organizations, before }: Expiry): Expired {
  const ids = organizations === undefined ? undefined : param(organizations.map(uuidToNumber), 'Array(UInt128)', 'organizations');
  const whose = ids === undefined ? [] : [sql`org_id IN ${ids}`];
  return {
    rows: (table, where) => acrossOrganizations(table, 'all with one term of retention at once', [...whose, ...where]),
    before: dateTime64(before, 'before'),
  };
}

/** Entries younger than their request: once that is deleted, nothing shows that they belong to it. */
async function removeLateHistory(parts: RemovingParts, { rows, before }: Expired): Promise<void> {
  const key = sql`org_id, request_id`;
  const isLate = sql`changed_at >= ${before}`;
  const changed = select({ columns: key, from: rows('changes', [isLate]) });
  const requests = select({ columns: key, from: rows('requests', [sql`created_at < ${before}`, sql`(org_id, request_id) IN ${changed}`]) });
  await hideWhere(parts, 'changes', rows('changes', [isLate, sql`(org_id, request_id) IN ${requests}`]));
}

/** Whole months are dropped with their files. */
async function dropMonths(parts: RemovingParts, table: OrganizationTable, before: Fragment): Promise<void> {
  const month = sql`toUInt32OrZero(extract(partition_id, '[0-9]{6}$'))`;
  const old = systemRows('parts', [
    sql`table = ${literal(table)} AND active AND rows > 0`,
    sql`${month} BETWEEN 1 AND toYYYYMM(${before}) - 1`,
  ]);
  const query = select({ distinct: true, columns: sql`partition_id AS partition`, from: old, orderBy: sql`partition` });
  const found = await readForRemoval<{ readonly partition: string }>(parts, compileForAll(query));
  // A month's pending changes are dropped with it: their rows are gone.
  await dropPartitions(
    parts,
    table,
    found.map(({ partition }) => partition),
  );
}

async function hideRows(parts: RemovingParts, { table, time, monthly }: DatedTable, { rows, before }: Expired): Promise<void> {
  const expired = rows(table, [sql`${time} < ${before}`]);
  if (!monthly) {
    await hideWhere(parts, table, expired);
    return;
  }
  const query = select({
    distinct: true,
    columns: sql`toString(toYYYYMM(${time})) AS month`,
    from: expired,
    orderBy: sql`month`,
  });
  const months = await readForRemoval<{ readonly month: string }>(parts, compileForAll(query));
  for (const { month } of months) await hide(parts, table, { rows: expired, partition: month });
}

async function hideWhere(parts: RemovingParts, table: OrganizationTable, rows: Rows): Promise<void> {
  if ((await countRows(parts, rows)) > 0) await hide(parts, table, { rows });
}

/**
 * TRICKY: masks the rows beside their parts; merges drop them. Rewriting a month's parts every hour, for one expired hour, would write the
 * whole month every hour.
 */
async function hide(
  parts: RemovingParts,
  table: OrganizationTable,
  { rows, ...within }: { readonly rows: Rows; readonly partition?: string },
): Promise<void> {
  await removeRows(parts, table, compileForAll(deleteRows(rows, { by: 'hiding', ...within, settings: removalSettings })));
}

/** A tag stays as long as its session has a request. */
async function removeTags(parts: RemovingParts, { rows, before }: Expired): Promise<void> {
  const key = sql`org_id, session_id`;
  const isOld = sql`changed_at < ${before}`;
  const tagged = select({ columns: key, from: rows('session_tags', [isOld]) });
  const used = select({ columns: key, from: rows('requests', [sql`session_id != ''`, sql`(org_id, session_id) IN ${tagged}`]) });
  await hideWhere(parts, 'session_tags', rows('session_tags', [isOld, sql`(org_id, session_id) NOT IN ${used}`]));
}

async function countRows(parts: RemovingParts, rows: Rows): Promise<number> {
  const query = select({ columns: sql`count() AS counted`, from: rows });
  const [row] = await readForRemoval<{ readonly counted: number | string }>(parts, compileForAll(query));
  return Number(row?.counted ?? 0);
}
