import type { OrganizationId } from '../../model/ids.ts';
import type { EventsQueries } from '../database/database.ts';

/** How far the order of storage was looked at for a webhook. */
export interface WebhookPosition {
  readonly webhookId: string;
  readonly organizationId: OrganizationId;
  /** Number of the order of storage. */
  readonly position: number;
}

export async function readPositions({ queries }: EventsQueries): Promise<readonly WebhookPosition[]> {
  const rows = await queries.selectFrom('webhook_positions').selectAll().execute();
  return rows.map(({ webhook_id, organization_id, position }) => ({
    webhookId: webhook_id,
    organizationId: organization_id as OrganizationId,
    position,
  }));
}

/** Number of the order of storage; undefined before the first step. */
export async function readPosition({ queries }: EventsQueries, webhookId: string): Promise<number | undefined> {
  const row = await queries.selectFrom('webhook_positions').select('position').where('webhook_id', '=', webhookId).executeTakeFirst();
  return row?.position;
}

/** Call it in the transaction that adds the deliveries of the records up to these positions. */
export async function storePositions({ queries }: EventsQueries, positions: readonly WebhookPosition[]): Promise<void> {
  for (const { webhookId, organizationId, position } of positions) {
    await queries
      .insertInto('webhook_positions')
      .values({ webhook_id: webhookId, organization_id: organizationId, position })
      .onConflict((conflict) => conflict.column('webhook_id').doUpdateSet({ position }))
      .execute();
  }
}

export async function removePositions({ queries }: EventsQueries, webhookId: string): Promise<void> {
  await queries.deleteFrom('webhook_positions').where('webhook_id', '=', webhookId).execute();
}

export async function countPending({ queries }: EventsQueries, target: string): Promise<number> {
  const { pending } = await queries
    .selectFrom('deliveries')
    .select((select) => select.fn.countAll<number>().as('pending'))
    .where('target', '=', target)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  return pending;
}
