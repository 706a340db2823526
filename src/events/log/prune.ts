import { sql } from 'kysely';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { EventsDatabase } from '../database/database.ts';
import { removeDeliveries } from './remove.ts';
import { inTurns, rowsAtOnce } from './turns.ts';

export interface LogLimits {
  /** Deliveries that ended are kept so long, milliseconds. */
  readonly keptMs: number;
  /** Of the file, without its free pages. */
  readonly maxBytes: number;
}

export interface Pruned {
  readonly expired: number;
  /** Removed because the log was too large. */
  readonly crowdedOut: number;
}

/** Removes the oldest deliveries that ended, until the log keeps its limits. Pending ones stay. @param now Unix milliseconds. */
export async function pruneLog(database: EventsDatabase, { keptMs, maxBytes }: LogLimits, now: number): Promise<Pruned> {
  const before = firstIdOf(Math.max(0, now - keptMs));
  const expired = await inTurns(undefined, () => removeOldest(database, before));
  const crowdedOut = await inTurns(undefined, async () => ((await usedBytes(database)) > maxBytes ? removeOldest(database, undefined) : 0));
  return { expired, crowdedOut };
}

/** @param before only identifiers that sort before this. @returns how many. */
async function removeOldest(database: EventsDatabase, before: string | undefined): Promise<number> {
  return inWriteTransaction(database, async (transaction) => {
    const { queries } = transaction;
    const ended = queries.selectFrom('deliveries').select(['id', 'target']).where('state', '!=', 'pending').orderBy('id').limit(rowsAtOnce);
    const rows = await (before === undefined ? ended : ended.where('id', '<', before)).execute();
    const counts = new Map<string, number>();
    for (const { target } of rows) counts.set(target, (counts.get(target) ?? 0) + 1);
    for (const [target, count] of counts) {
      await queries
        .updateTable('targets')
        .set((update) => ({ pruned: update('pruned', '+', count) }))
        .where('target', '=', target)
        .execute();
    }
    return removeDeliveries(
      transaction,
      rows.map(({ id }) => id),
    );
  });
}

/** Dialect: Postgres has `pg_total_relation_size` for this. */
async function usedBytes({ queries }: EventsDatabase): Promise<number> {
  const { rows } = await sql<{ readonly bytes: number }>`
    select (page_count - freelist_count) * page_size as bytes from pragma_page_count(), pragma_freelist_count(), pragma_page_size()
  `.execute(queries);
  return rows[0]?.bytes ?? 0;
}

/** Identifiers of deliveries of an earlier millisecond sort before it. */
function firstIdOf(at: number): string {
  const hex = at.toString(16).padStart(12, '0');
  return `msg_${hex.slice(0, 8)}-${hex.slice(8)}`;
}
