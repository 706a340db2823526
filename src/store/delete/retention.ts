import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import type { Connections } from '../engine/connections.ts';
import { dropPartitions, readRows, type RemovableTable, removeRows, type RemovingParts, type RowCondition } from './removing.ts';

/** What is older than this is removed. */
export interface Expiry {
  /** Undefined: of all organisations. */
  readonly organizations: readonly OrganizationId[] | undefined;
  /** Unix milliseconds: rows of this time stay. */
  readonly before: number;
}

/**
 * Removes what has expired; no query finds it from then on. It may be repeated, and finds what was left.
 * @returns how many requests went. @throws GatelogError when the store fails, `store_unavailable` while there is no room, though whole months have gone
 *   then; the abort reason when told to stop.
 */
export type RemoveExpired = (expiry: Expiry, signal: AbortSignal) => Promise<number>;

interface DatedTable {
  readonly table: RemovableTable;
  /** When what the row tells of came. */
  readonly time: 'created_at' | 'changed_at';
  readonly monthly: boolean;
}

/** In this order: a request that is visible has its bodies. */
const datedTables: readonly DatedTable[] = [
  { table: 'requests', time: 'created_at', monthly: true },
  { table: 'bodies', time: 'created_at', monthly: true },
  { table: 'changes', time: 'changed_at', monthly: true },
  { table: 'session_changes', time: 'changed_at', monthly: false },
];

const before = "fromUnixTimestamp64Milli({before:Int64}, 'UTC')";
const ofOrganizations = 'org_id IN {organizations:Array(UInt128)}';

/** Makes the function that removes. */
export function makeRemoveExpired(connections: Connections): RemoveExpired {
  return async (expiry, signal) => {
    const parts: RemovingParts = { connections, signal };
    const gone = await countRows(parts, 'requests', conditionOf(expiry, `created_at < ${before}`));
    // Invariant: nothing that asks for room comes before the months, which free most of it. Without room late history stays until it expires itself.
    if (connections.hasFreeSpace()) await removeLateHistory(parts, expiry);
    if (expiry.organizations === undefined) {
      for (const { table, monthly } of datedTables) if (monthly) await dropMonths(parts, table, expiry.before);
    }
    for (const dated of datedTables) await hideRows(parts, dated, expiry);
    await removeTags(parts, expiry);
    return gone;
  };
}

function conditionOf({ organizations, before: unixMs }: Expiry, text: string): RowCondition {
  if (organizations === undefined) return { text, params: { before: String(unixMs) } };
  return { text: `${ofOrganizations} AND ${text}`, params: { before: String(unixMs), organizations: organizations.map(uuidToNumber) } };
}

/** Entries that are younger than their request: once it is gone nothing tells that they belong to it. */
async function removeLateHistory(parts: RemovingParts, expiry: Expiry): Promise<void> {
  const changed = conditionOf(expiry, `changed_at >= ${before}`).text;
  const requests = conditionOf(
    expiry,
    `created_at < ${before} AND (org_id, request_id) IN (SELECT org_id, request_id FROM changes WHERE ${changed})`,
  ).text;
  const late = conditionOf(
    expiry,
    `changed_at >= ${before} AND (org_id, request_id) IN (SELECT org_id, request_id FROM requests WHERE ${requests})`,
  );
  await hideWhere(parts, 'changes', late);
}

/** Whole months go at once, with their files. */
async function dropMonths(parts: RemovingParts, table: RemovableTable, unixMs: number): Promise<void> {
  const month = `toUInt32OrZero(extract(partition_id, '[0-9]{6}$'))`;
  const found = await readRows<{ readonly partition: string }>(parts, {
    text: `SELECT DISTINCT partition_id AS partition FROM system.parts WHERE database = currentDatabase() AND table = '${table}' AND active AND rows > 0
      AND ${month} BETWEEN 1 AND toYYYYMM(${before}) - 1 ORDER BY partition`,
    params: { before: String(unixMs) },
  });
  // Those of a month's changes that wait end in the month too: what they would change is gone.
  await dropPartitions(
    parts,
    table,
    found.map(({ partition }) => partition),
  );
}

async function hideRows(parts: RemovingParts, { table, time, monthly }: DatedTable, expiry: Expiry): Promise<void> {
  const expired = conditionOf(expiry, `${time} < ${before}`);
  if (!monthly) {
    await hideWhere(parts, table, expired);
    return;
  }
  const text = `SELECT DISTINCT toString(toYYYYMM(${time})) AS month FROM ${table} WHERE ${expired.text} ORDER BY month`;
  const months = await readRows<{ readonly month: string }>(parts, { text, params: expired.params });
  for (const { month } of months) await removeRows(parts, table, deletion(`${table} IN PARTITION ID '${month}'`, expired));
}

async function hideWhere(parts: RemovingParts, table: RemovableTable, condition: RowCondition): Promise<void> {
  if ((await countRows(parts, table, condition)) > 0) await removeRows(parts, table, deletion(table, condition));
}

/**
 * TRICKY: this hides rows by a mask beside their parts; merges leave them out. Rewriting the parts of a month every hour, for the hour that has
 * expired, would write the whole month every hour.
 */
function deletion(from: string, { text, params }: RowCondition): RowCondition {
  return { text: `DELETE FROM ${from} WHERE ${text}`, params };
}

/** A tag stays for as long as its session has a request. */
async function removeTags(parts: RemovingParts, expiry: Expiry): Promise<void> {
  const old = conditionOf(expiry, `changed_at < ${before}`);
  const whose = conditionOf(expiry, `session_id != ''`).text;
  const text = `${old.text} AND (org_id, session_id) NOT IN (SELECT org_id, session_id FROM requests WHERE ${whose}
    AND (org_id, session_id) IN (SELECT org_id, session_id FROM session_tags WHERE ${old.text}))`;
  await hideWhere(parts, 'session_tags', { text, params: old.params });
}

async function countRows(parts: RemovingParts, table: RemovableTable, { text, params }: RowCondition): Promise<number> {
  const [row] = await readRows<{ readonly counted: number | string }>(parts, {
    text: `SELECT count() AS counted FROM ${table} WHERE ${text}`,
    params,
  });
  return Number(row?.counted ?? 0);
}
