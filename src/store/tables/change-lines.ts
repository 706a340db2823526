import type { ChangeEntry } from '../../model/change.ts';
import { uuidToNumber } from '../../model/ids.ts';
import { timeText } from './time-text.ts';

/** The columns of a row of `changes`, in the order of its cells. */
export const changeColumns = ['org_id', 'request_id', 'changed_at', 'number', 'name', 'kind', 'key_id', 'old', 'new'] as const;

/** Writes history entries as lines of JSONCompactEachRow; the values before and after are JSON inside of them. */
export function changeLines(entries: readonly ChangeEntry[]): string {
  return entries.map(changeLine).join('\n');
}

function changeLine(entry: ChangeEntry): string {
  const { number, name, kind, keyId } = entry;
  const key = [uuidToNumber(entry.organizationId).toString(), uuidToNumber(entry.requestId).toString(), timeText(entry.acceptedAt)];
  return JSON.stringify([...key, number, name, kind, keyId, JSON.stringify(entry.old), JSON.stringify(entry.new)]);
}
