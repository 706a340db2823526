import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { EventsDatabase, EventsQueries } from '../database/database.ts';
import type { KnownTarget } from './due.ts';
import { removePositions } from './positions.ts';
import { removeUpdatePositions } from './updates.ts';
import { targetOfKey } from './target.ts';
import { inTurns, rowsAtOnce } from './turns.ts';

/** Ends the pending deliveries of a target that was disabled. */
export async function endPending(database: EventsDatabase, { key, organizationId }: KnownTarget, at: number): Promise<void> {
  await inTurns(organizationId, () =>
    inWriteTransaction(database, async ({ queries }) => {
      const rows = await queries
        .selectFrom('deliveries')
        .select('id')
        .where('target', '=', key)
        .where('state', '=', 'pending')
        .limit(rowsAtOnce)
        .execute();
      await queries
        .updateTable('deliveries')
        .set({ state: 'failed', failure: 'disabled', due_at: null, ended_at: at })
        .where('id', 'in', idsOf(rows))
        .execute();
      return rows.length;
    }),
  );
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
export async function removeTarget(database: EventsDatabase, { key, organizationId }: KnownTarget): Promise<void> {
  await inTurns(organizationId, () =>
    inWriteTransaction(database, async (transaction) => {
      const rows = await transaction.queries.selectFrom('deliveries').select('id').where('target', '=', key).limit(rowsAtOnce).execute();
      return removeDeliveries(transaction, idsOf(rows));
    }),
  );
  await database.queries.deleteFrom('targets').where('target', '=', key).execute();
  const definition = targetOfKey(key);
  if (definition.kind !== 'webhook') return;
  await removePositions(database, definition.webhookId);
  await removeUpdatePositions(database, [definition.webhookId]);
}

/** Removes deliveries with their attempts. @param ids as many as a statement takes. @returns their number. */
export async function removeDeliveries({ queries }: EventsQueries, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  await queries.deleteFrom('attempts').where('delivery_id', 'in', ids).execute();
  await queries.deleteFrom('deliveries').where('id', 'in', ids).execute();
  return ids.length;
}

export function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}
