import { setImmediate as turn } from 'node:timers/promises';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { EventsDatabase, EventsQueries } from '../database.ts';
import { removePositions } from '../positions.ts';
import { removeUpdatePositions } from '../updates.ts';
import { targetOfKey } from '../target.ts';

/** Rows of a statement, far below the limit on its parameters, and of a transaction, which blocks the process meanwhile. */
export const rowsAtOnce = 500;

/** Ends the pending deliveries of a target that was disabled. */
export async function endPending(database: EventsDatabase, target: string, at: number): Promise<void> {
  for (let ended = rowsAtOnce; ended === rowsAtOnce;) {
    ended = await inWriteTransaction(database, async ({ queries }) => {
      const rows = await queries
        .selectFrom('deliveries')
        .select('id')
        .where('target', '=', target)
        .where('state', '=', 'pending')
        .limit(rowsAtOnce)
        .execute();
      await queries
        .updateTable('deliveries')
        .set({ state: 'failed', failure: 'disabled', due_at: null, ended_at: at })
        .where('id', 'in', idsOf(rows))
        .execute();
      return rows.length;
    });
    await turn();
  }
}

/** The target was disabled where it is defined. */
export async function noteDisabled({ queries }: EventsQueries, target: string): Promise<void> {
  await queries.updateTable('targets').set({ disabling: null }).where('target', '=', target).execute();
}

/** Forgets failures of a target that is enabled again. */
export async function forgetFailures({ queries }: EventsQueries, target: string): Promise<void> {
  await queries
    .updateTable('targets')
    .set({ failed_in_a_row: 0, failing_since: null, disabling: null, noticed_at: null })
    .where('target', '=', target)
    .execute();
}

/** Removes everything about a target that was removed where it is defined. */
export async function removeTarget(database: EventsDatabase, target: string): Promise<void> {
  for (let removed = rowsAtOnce; removed === rowsAtOnce;) {
    removed = await inWriteTransaction(database, async (transaction) => {
      const rows = await transaction.queries.selectFrom('deliveries').select('id').where('target', '=', target).limit(rowsAtOnce).execute();
      return removeDeliveries(transaction, idsOf(rows));
    });
    await turn();
  }
  await database.queries.deleteFrom('targets').where('target', '=', target).execute();
  const definition = targetOfKey(target);
  if (definition.kind !== 'webhook') return;
  await removePositions(database, definition.webhookId);
  await removeUpdatePositions(database, [definition.webhookId]);
}

/** Removes deliveries with their attempts. @returns their number. */
export async function removeDeliveries({ queries }: EventsQueries, ids: readonly string[]): Promise<number> {
  for (let start = 0; start < ids.length; start += rowsAtOnce) {
    const some = ids.slice(start, start + rowsAtOnce);
    await queries.deleteFrom('attempts').where('delivery_id', 'in', some).execute();
    await queries.deleteFrom('deliveries').where('id', 'in', some).execute();
  }
  return ids.length;
}

export function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}
