import type { ChangeItem } from '../../contract/requests/changes.ts';
import { type OrganizationId, type RequestId, uuidToNumber } from '../../model/ids.ts';
import { parseJson } from '../../model/text.ts';
import { select, unionAll } from '../../sql/query.ts';
import { param, sql } from '../../sql/sql.ts';
import { type Statement, statementFor } from '../../sql/statement.ts';
import { tenantRows, requests } from '../../sql/tables.ts';
import { dateTime64 } from '../../sql/time.ts';
import { isoTime, type NumberCell } from '../requests/columns.ts';

/** A row of `changes` as JSONEachRow returns it; both values are JSON text. */
export interface ChangeRow {
  readonly changed_ms: NumberCell;
  readonly key_id: string;
  readonly kind: string;
  readonly name: string;
  readonly old: string;
  readonly new: string;
}

/** The page of a history, counted from the newest. */
export interface HistoryPage {
  readonly limit: number;
  readonly offset: number;
}

/**
 * The statement for a page of a request's history, newest first. A change of a whole session is stored once for all of its requests; the
 * request's row lists which of these have reached it. @param createdAt of the request, Unix milliseconds.
 */
export function changesStatement(tenant: OrganizationId, { id, createdAt }: StoredRequestKey, { limit, offset }: HistoryPage): Statement {
  const request = sql`request_id = ${param(uuidToNumber(id), 'UInt128')}`;
  const reached = select({
    columns: sql`arrayJoin(session_changes)`,
    from: requests([request, sql`created_at = ${dateTime64(createdAt)}`]),
  });
  const time = sql`toUnixTimestamp64Milli(changed_at) AS changed_ms`;
  const own = select({
    columns: sql`${time}, number, key_id, toString(kind) AS kind, name, old, new`,
    from: tenantRows('changes', request),
  });
  const ofSession = select({
    columns: sql`${time}, number, key_id, 'session_property' AS kind, name, 'null' AS old, new`,
    from: tenantRows('session_changes', sql`number IN ${reached}`),
  });
  const page = select({
    columns: sql`changed_ms, key_id, kind, name, old, new`,
    from: unionAll([own, ofSession]),
    orderBy: sql`changed_ms DESC, number DESC, name ASC`,
    limit: param(limit, 'UInt64'),
    offset: param(offset, 'UInt64'),
  });
  return statementFor(tenant, page, 'short');
}

/** The key of a stored request; its time in Unix milliseconds. */
export interface StoredRequestKey {
  readonly id: RequestId;
  readonly createdAt: number;
}

/** A change in the API's shape. */
export function changeItem(row: ChangeRow): ChangeItem {
  return {
    changed_at: isoTime(row.changed_ms),
    key_id: row.key_id,
    kind: row.kind as ChangeItem['kind'],
    name: row.name,
    old: parseJson(row.old) as ChangeItem['old'],
    new: parseJson(row.new) as ChangeItem['new'],
  };
}
