import type { Selectable } from 'kysely';
import type { DeliverySubject, DeliveryTarget, EventType } from '../../model/events/event.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { JsonObject } from '../../model/text.ts';
import type { EventsQueries } from '../database/database.ts';
import type { DeliveriesTable } from '../schema/schema.ts';
import { targetOfKey } from './target.ts';

/** A delivery that is due. Times are Unix milliseconds. */
export interface Delivery {
  readonly id: string;
  readonly organizationId: OrganizationId;
  readonly target: DeliveryTarget;
  readonly type: EventType;
  readonly subject: DeliverySubject;
  readonly occurredAt: number;
  readonly createdAt: number;
  /** Attempts made before. */
  readonly attempts: number;
  /** The next attempt's place in the schedule. */
  readonly step: number;
}

/** A target, as rows name it. */
export interface KnownTarget {
  readonly key: string;
  readonly organizationId: OrganizationId;
}

/** Every target with a delivery. */
export async function listTargets({ queries }: EventsQueries): Promise<readonly KnownTarget[]> {
  const rows = await queries
    .selectFrom('deliveries')
    .select(['target', 'organization_id'])
    .where('state', '=', 'pending')
    .union(queries.selectFrom('targets').select(['target', 'organization_id']))
    .execute();
  return rows.map(({ target, organization_id }) => ({ key: target, organizationId: organization_id as OrganizationId }));
}

/** Deliveries of a target that are due, the longest due first. @param now Unix milliseconds. */
export async function readDue({ queries }: EventsQueries, target: string, now: number, limit: number): Promise<readonly Delivery[]> {
  const rows = await queries
    .selectFrom('deliveries')
    .selectAll()
    .where('target', '=', target)
    .where('state', '=', 'pending')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(deliveryOf);
}

/** When the next delivery of a target is due that is not due yet; undefined without one. @param now Unix milliseconds. */
export async function nextDueAt({ queries }: EventsQueries, target: string, now: number): Promise<number | undefined> {
  const row = await queries
    .selectFrom('deliveries')
    .select('due_at')
    .where('target', '=', target)
    .where('state', '=', 'pending')
    .where('due_at', '>', now)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? undefined;
}

/** @throws when there is none. */
export async function readDelivery({ queries }: EventsQueries, id: string): Promise<Delivery> {
  return deliveryOf(await queries.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
}

function deliveryOf(row: Selectable<DeliveriesTable>): Delivery {
  return {
    id: row.id,
    organizationId: row.organization_id as OrganizationId,
    target: targetOfKey(row.target),
    type: row.type,
    subject: subjectOf(row),
    occurredAt: row.occurred_at,
    createdAt: row.created_at,
    attempts: row.attempts,
    step: row.step,
  };
}

function subjectOf({ request_id, request_created_at, content }: Selectable<DeliveriesTable>): DeliverySubject {
  if (request_id !== null) return { kind: 'request', requestId: request_id as RequestId, createdAt: request_created_at ?? 0 };
  return { kind: 'message', content: JSON.parse(content ?? '{}') as JsonObject };
}
