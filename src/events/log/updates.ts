import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { EventsDatabase, EventsQueries } from '../database/database.ts';
import type { WebhookPosition } from './positions.ts';

/** Rows of a statement, far below the limit on its parameters. */
const rowsOfStatement = 500;
/** Rows of a removal, which blocks the process meanwhile. */
const rowsOfRemoval = 2000;

/** A stored request with its time, which locates it; Unix milliseconds. */
export interface StoredRequest {
  readonly requestId: RequestId;
  readonly createdAt: number;
}

export interface UpdatedRequest extends StoredRequest {
  /** Grows with every update of any organisation. */
  readonly seq: number;
  /** Unix milliseconds. */
  readonly changedAt: number;
}

/** Notes that requests were changed; durable on return. @param at Unix milliseconds. @returns the last `seq`; those before it follow one another. */
export async function addUpdates(
  database: EventsDatabase,
  organizationId: OrganizationId,
  requests: readonly StoredRequest[],
  at: number,
): Promise<number> {
  return inWriteTransaction(database, async ({ queries }) => {
    let last = 0;
    for (let start = 0; start < requests.length; start += rowsOfStatement) {
      const rows = requests.slice(start, start + rowsOfStatement).map(({ requestId, createdAt }) => ({
        organization_id: organizationId,
        request_id: requestId,
        request_created_at: createdAt,
        changed_at: at,
      }));
      const { insertId } = await queries.insertInto('updated_requests').values(rows).executeTakeFirstOrThrow();
      last = Number(insertId);
    }
    return last;
  });
}

/** The `seq` of updates that were noted together; inclusive. */
export interface UpdateNumbers {
  readonly first: number;
  readonly last: number;
}

/** Removes updates that were not made. */
export async function removeUpdateRange(
  { queries }: EventsQueries,
  organizationId: OrganizationId,
  { first, last }: UpdateNumbers,
): Promise<void> {
  for (let from = first; from <= last; from += rowsOfRemoval) {
    if (from > first) await nextTurn();
    await queries
      .deleteFrom('updated_requests')
      .where('organization_id', '=', organizationId)
      .where('seq', '>=', from)
      .where('seq', '<=', Math.min(last, from + rowsOfRemoval - 1))
      .execute();
  }
}

/** The greatest `seq`; 0 without any. */
export async function latestUpdate({ queries }: EventsQueries): Promise<number> {
  const row = await queries
    .selectFrom('updated_requests')
    .select((select) => select.fn.max('seq').as('latest'))
    .executeTakeFirst();
  return row?.latest ?? 0;
}

export interface UpdateRange {
  /** Exclusive. */
  readonly after: number;
  /** Inclusive. */
  readonly through: number;
  readonly limit: number;
}

/** The next updates behind a position, in order. */
export async function readUpdates(
  { queries }: EventsQueries,
  organizationId: OrganizationId,
  { after, through, limit }: UpdateRange,
): Promise<readonly UpdatedRequest[]> {
  const rows = await queries
    .selectFrom('updated_requests')
    .select(['seq', 'request_id', 'request_created_at', 'changed_at'])
    .where('organization_id', '=', organizationId)
    .where('seq', '>', after)
    .where('seq', '<=', through)
    .orderBy('seq')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    seq: row.seq,
    requestId: row.request_id as RequestId,
    createdAt: row.request_created_at,
    changedAt: row.changed_at,
  }));
}

/** How far the updates were looked at for each webhook of an organisation. */
export async function readUpdatePositions(
  { queries }: EventsQueries,
  organizationId: OrganizationId,
): Promise<ReadonlyMap<string, number>> {
  const rows = await queries
    .selectFrom('webhook_update_positions')
    .select(['webhook_id', 'position'])
    .where('organization_id', '=', organizationId)
    .execute();
  return new Map(rows.map(({ webhook_id, position }) => [webhook_id, position]));
}

/** Call it in the transaction that adds the deliveries of the updates up to these positions. */
export async function storeUpdatePositions({ queries }: EventsQueries, positions: readonly WebhookPosition[]): Promise<void> {
  for (const { webhookId, organizationId, position } of positions) {
    await queries
      .insertInto('webhook_update_positions')
      .values({ webhook_id: webhookId, organization_id: organizationId, position })
      .onConflict((conflict) => conflict.column('webhook_id').doUpdateSet({ position }))
      .execute();
  }
}

export async function removeUpdatePositions({ queries }: EventsQueries, webhookIds: readonly string[]): Promise<void> {
  if (webhookIds.length === 0) return;
  await queries.deleteFrom('webhook_update_positions').where('webhook_id', 'in', webhookIds).execute();
}

/** Removes updates that nobody needs any more, some at a time. @param through inclusive. */
export async function removeUpdates({ queries }: EventsQueries, organizationId: OrganizationId, through: number): Promise<void> {
  for (;;) {
    const row = await queries
      .selectFrom('updated_requests')
      .select('seq')
      .where('organization_id', '=', organizationId)
      .where('seq', '<=', through)
      .orderBy('seq')
      .offset(rowsOfRemoval)
      .limit(1)
      .executeTakeFirst();
    await queries
      .deleteFrom('updated_requests')
      .where('organization_id', '=', organizationId)
      .where('seq', '<=', row?.seq ?? through)
      .execute();
    if (row === undefined) return;
    await nextTurn();
  }
}

/** Removes the oldest updates beyond `max`. @returns how many there were. */
export async function removeOldestUpdates(database: EventsQueries, organizationId: OrganizationId, max: number): Promise<number> {
  const { queries } = database;
  const { total } = await queries
    .selectFrom('updated_requests')
    .select((select) => select.fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (total <= max) return 0;
  const last = await queries
    .selectFrom('updated_requests')
    .select('seq')
    .where('organization_id', '=', organizationId)
    .orderBy('seq')
    .offset(total - max - 1)
    .limit(1)
    .executeTakeFirstOrThrow();
  await removeUpdates(database, organizationId, last.seq);
  return total - max;
}
