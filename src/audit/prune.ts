import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AuditQueries } from './database.ts';

/** Entries that are removed in one go. */
const removedAtOnce = 1000;

/** Removes entries that are older. @param before Unix milliseconds. @returns how many. */
export async function pruneAudit({ queries }: AuditQueries, before: number): Promise<number> {
  for (let removed = 0; ; await nextTurn()) {
    // Entries are about in the order of time: what is old is among the first. A clock that was set back hides some for a while.
    const oldest = queries.selectFrom('audit_entries').select(['id', 'at']).orderBy('id').limit(removedAtOnce).as('oldest');
    const expired = queries.selectFrom(oldest).select('oldest.id').where('oldest.at', '<', before);
    const { numDeletedRows } = await queries.deleteFrom('audit_entries').where('id', 'in', expired).executeTakeFirst();
    removed += Number(numDeletedRows);
    if (numDeletedRows === 0n) return removed;
  }
}
