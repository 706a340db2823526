import type { ChangeItem } from '../contract/changes.ts';
import { type OrganizationId, type RequestId, uuidToNumber } from '../model/ids.ts';
import { parseJson } from '../model/text.ts';
import { param, sql } from '../sql/sql.ts';
import { ownTable, type Statement, statementFor } from '../sql/statement.ts';
import type { NumberCell } from './request-row.ts';

/** A row of `changes` as JSONEachRow gives it; both values are still JSON text. */
export interface ChangeRow {
  readonly changed_ms: NumberCell;
  readonly key_id: string;
  readonly kind: string;
  readonly name: string;
  readonly old: string;
  readonly new: string;
}

/** Which rows of a history, counted from the newest. */
export interface HistoryPage {
  readonly limit: number;
  readonly offset: number;
}

/** The statement for one page of a request's history, as {@link ChangeRow}s, newest first. */
export function changesStatement(tenant: OrganizationId, id: RequestId, { limit, offset }: HistoryPage): Statement {
  const rows = ownTable('changes', sql`request_id = ${param(uuidToNumber(id), 'UInt128')}`);
  return statementFor(
    tenant,
    sql`SELECT toUnixTimestamp64Milli(changed_at) AS changed_ms, key_id, kind, name, old, new FROM ${rows} ORDER BY changed_at DESC, number DESC, name ASC LIMIT ${param(limit, 'UInt64')} OFFSET ${param(offset, 'UInt64')}`,
    'short',
  );
}

/** A row of the history as the API shows it. */
export function changeItem(row: ChangeRow): ChangeItem {
  return {
    changed_at: new Date(Number(row.changed_ms)).toISOString(),
    key_id: row.key_id,
    kind: row.kind as ChangeItem['kind'],
    name: row.name,
    old: parseJson(row.old) as ChangeItem['old'],
    new: parseJson(row.new) as ChangeItem['new'],
  };
}
