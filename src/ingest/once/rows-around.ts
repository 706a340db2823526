import type { ToldQuery, ToldRow, ToldRows } from '../../store/once/told-rows.ts';
import { queriesAround } from './known-record.ts';
import type { TellsOfCall } from './same-call.ts';

/** Records that are looked around at once where more of them find too much. */
const recordsOfCrowd = 250;

/** Rows that may tell of the same calls. @param onCrowd is called where even a few records find more than is compared at once. */
export async function rowsAround(
  all: readonly TellsOfCall[],
  find: (query: ToldQuery) => Promise<ToldRows>,
  onCrowd: () => void,
): Promise<readonly ToldRow[]> {
  const rows: ToldRow[] = [];
  const looks = [...queriesAround(all)];
  for (const { records, query } of looks) {
    const found = await find(query);
    if (!found.isComplete && records.length > recordsOfCrowd) {
      looks.push(...queriesAround(records, recordsOfCrowd));
      continue;
    }
    // One by one: arguments have a limit.
    for (const row of found.rows) rows.push(row);
    if (!found.isComplete) onCrowd();
  }
  return rows;
}
