import { v7 } from 'uuid';
import type { NewDelivery } from '../../model/events/event.ts';
import type { EventsQueries } from '../database/database.ts';
import type { DeliveriesTable } from '../schema/schema.ts';
import { targetKey } from './target.ts';

/** Rows of a statement, far below the limit on its parameters. */
const rowsOfStatement = 500;

/**
 * Adds deliveries, due at once, inside a caller's write transaction: they are made with whatever else it writes, or not at all. Call
 * `wake` once it is committed. @param at Unix milliseconds. @returns their identifiers, in order.
 */
export async function addDeliveries(
  { queries }: EventsQueries,
  deliveries: readonly NewDelivery[],
  at: number,
): Promise<readonly string[]> {
  const rows = deliveries.map((delivery) => rowOf(delivery, at));
  for (let start = 0; start < rows.length; start += rowsOfStatement) {
    await queries
      .insertInto('deliveries')
      .values(rows.slice(start, start + rowsOfStatement))
      .execute();
  }
  await addReasons(queries, deliveries, rows);
  return rows.map(({ id }) => id);
}

/** The log shows why a delivery was not sent as that of an attempt. */
async function addReasons(
  queries: EventsQueries['queries'],
  deliveries: readonly NewDelivery[],
  rows: readonly DeliveriesTable[],
): Promise<void> {
  for (const [index, { id, created_at: at }] of rows.entries()) {
    const reason = deliveries[index]?.undecided;
    if (reason === undefined) continue;
    const attempt = { delivery_id: id, number: 1, started_at: at, duration_ms: 0, outcome: 'refused', reason } as const;
    await queries
      .insertInto('attempts')
      .values({ ...attempt, status: null, request_head: null, response_head: null })
      .execute();
  }
}

function rowOf({ organizationId, target, type, subject, occurredAt, undecided }: NewDelivery, at: number): DeliveriesTable {
  return {
    id: `msg_${v7()}`,
    organization_id: organizationId,
    target: targetKey(target),
    type,
    request_id: subject.kind === 'request' ? subject.requestId : null,
    request_created_at: subject.kind === 'request' ? subject.createdAt : null,
    content: subject.kind === 'message' ? JSON.stringify(subject.content) : null,
    alert_id: subject.kind === 'message' ? (subject.alertId ?? null) : null,
    occurred_at: occurredAt,
    created_at: at,
    step: 0,
    ...(undecided === undefined
      ? { state: 'pending', failure: null, attempts: 0, due_at: at, ended_at: null }
      : { state: 'failed', failure: 'filter', attempts: 1, due_at: null, ended_at: at }),
  };
}
