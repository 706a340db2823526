import type { ChangeEntry, WaitingTextsEntry } from '../../model/change.ts';
import { type Column, column, dateTime, string, uint128, uint64, writeRow } from './column.ts';
import { RowWriter } from './row-writer.ts';

/** In the order of a row's values; the values before and after are JSON. */
export const changeColumns: readonly Column<ChangeEntry | WaitingTextsEntry>[] = [
  column('org_id', uint128, ({ organizationId }) => organizationId),
  column('request_id', uint128, ({ requestId }) => requestId),
  column('changed_at', dateTime, ({ acceptedAt }) => acceptedAt),
  column('number', uint64, ({ number }) => number),
  column('name', string, ({ name }) => name),
  column('kind', string, ({ kind }) => kind),
  column('key_id', string, ({ keyId }) => keyId),
  column('old', string, (entry) => JSON.stringify(entry.old)),
  column('new', string, (entry) => JSON.stringify(entry.new)),
];

/** Writes history entries as one piece. */
export function changeRows(entries: readonly (ChangeEntry | WaitingTextsEntry)[], writer: RowWriter = new RowWriter()): Uint8Array {
  return writer.row(() => {
    for (const entry of entries) writeRow(writer, changeColumns, entry);
  });
}
