import type { Selectable } from 'kysely';
import type { JsonObject } from '../../model/text.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { EventsDatabase, EventsQueries } from '../database/database.ts';
import type { KnownTarget } from './due.ts';
import type { AttemptsTable, DeliveriesTable, DeliveryState } from '../schema/schema.ts';
import { inTurns, rowsAtOnce } from './turns.ts';

/** A delivery as the log shows it. Times are Unix milliseconds. */
export interface LoggedDelivery extends Omit<Selectable<DeliveriesTable>, 'content'> {
  /** Of the last attempt; null without one, or without a response. */
  readonly last_status: number | null;
  readonly last_reason: string | null;
}

/** A message about a rule. */
export interface LoggedMessage extends LoggedDelivery {
  readonly isTest: boolean;
}

export interface LoggedAttempts {
  readonly delivery: LoggedDelivery;
  /** Of a message. */
  readonly content: JsonObject | null;
  readonly attempts: readonly Selectable<AttemptsTable>[];
}

export interface LogPage {
  readonly state: DeliveryState | undefined;
  /** The delivery before this page; undefined: the first page. */
  readonly behind: string | undefined;
  readonly limit: number;
}

/** Deliveries to a target, newest first. */
export async function listDeliveries(database: EventsQueries, target: string, page: LogPage): Promise<readonly LoggedDelivery[]> {
  let query = selectLogged(database).where('deliveries.target', '=', target);
  if (page.state !== undefined) query = query.where('deliveries.state', '=', page.state);
  if (page.behind !== undefined) query = query.where('deliveries.id', '<', page.behind);
  const rows = await query.orderBy('deliveries.id', 'desc').limit(page.limit).execute();
  return rows.map(({ content: _content, ...row }) => row);
}

/** Messages about a rule, to whatever target, newest first. */
export async function listAlertDeliveries(
  database: EventsQueries,
  alertId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<readonly LoggedMessage[]> {
  const rows = await selectLogged(database)
    .where('deliveries.alert_id', '=', alertId)
    .orderBy('deliveries.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ content, ...row }) => ({
    ...row,
    isTest: content !== null && (JSON.parse(content) as JsonObject)['kind'] === 'test',
  }));
}

export async function findDelivery(database: EventsQueries, target: string, id: string): Promise<LoggedAttempts | undefined> {
  const found = await selectLogged(database).where('deliveries.target', '=', target).where('deliveries.id', '=', id).executeTakeFirst();
  if (found === undefined) return undefined;
  const { content, ...delivery } = found;
  const attempts = await database.queries.selectFrom('attempts').selectAll().where('delivery_id', '=', id).orderBy('number').execute();
  return { delivery, content: content === null ? null : (JSON.parse(content) as JsonObject), attempts };
}

function selectLogged({ queries }: EventsQueries) {
  return queries
    .selectFrom('deliveries')
    .leftJoin('attempts', (join) =>
      join.onRef('attempts.delivery_id', '=', 'deliveries.id').onRef('attempts.number', '=', 'deliveries.attempts'),
    )
    .selectAll('deliveries')
    .select(['attempts.status as last_status', 'attempts.reason as last_reason']);
}

/**
 * Makes a delivery due again, from the beginning of the schedule and under its identifier; durable on return.
 * @returns false when the target has none of this identifier.
 */
export async function replayDelivery({ queries }: EventsQueries, target: string, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable('deliveries')
    .set(dueAgain(at))
    .where('target', '=', target)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Replays every failed delivery that was made since a time, but for those that no filter has chosen; durable on return. @returns how many there were. */
export async function recoverDeliveries(database: EventsDatabase, target: KnownTarget, since: number, at: number): Promise<number> {
  let last = '';
  return inTurns(target.organizationId, () =>
    inWriteTransaction(database, async ({ queries }) => {
      const rows = await queries
        .selectFrom('deliveries')
        .select('id')
        .where('target', '=', target.key)
        .where('state', '=', 'failed')
        .where('failure', 'is distinct from', 'filter')
        .where('created_at', '>=', since)
        .where('id', '>', last)
        .orderBy('id')
        .limit(rowsAtOnce)
        .execute();
      const found = rows.map(({ id }) => id);
      await queries.updateTable('deliveries').set(dueAgain(at)).where('id', 'in', found).execute();
      last = found.at(-1) ?? last;
      return found.length;
    }),
  );
}

function dueAgain(at: number) {
  return { state: 'pending', failure: null, step: 0, due_at: at, ended_at: null } as const;
}
