import type { Selectable } from 'kysely';
import type { NewDelivery } from '../../model/events/event.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { addDeliveries } from '../log/add-deliveries.ts';
import { type StoredEnd, writeMissedNotices } from './missed-notices.ts';
import { type AttemptEnd, endedAt, healthAfter, nextState, type NextState, type TargetHealth, unknownHealth } from './attempt-end.ts';
import type { EventsDatabase, EventsQueries } from '../database/database.ts';
import type { PreparedStatement } from '../../platform/sqlite/database.ts';
import type { DisablingReason, TargetsTable } from '../schema/schema.ts';
import { targetKey } from '../log/target.ts';
import type { Notice } from '../targets/target.ts';
import type { DeliveryTargets } from '../targets/targets.ts';

/** Notices of exhausted deliveries are at least so far apart, per target: a dead destination exhausts thousands. */
const noticeIntervalMs = 3_600_000;

export interface StoredEnds {
  /** Deliveries that follow from the ends. */
  readonly notices: readonly NewDelivery[];
  /** Keys of targets that are to be disabled, and why. */
  readonly disabling: ReadonlyMap<string, DisablingReason>;
}

interface TargetBefore extends TargetHealth {
  readonly organizationId: OrganizationId;
  readonly noticedAt: number | null;
}

/**
 * Stores how attempts ended, inside a write transaction of the connection that the statements were prepared on, with the notices that follow from it. Of a delivery that was removed meanwhile
 * nothing is stored.
 */
export async function storeEnds(
  transaction: EventsQueries,
  statements: EndStatements,
  ends: readonly AttemptEnd[],
  targets: Pick<DeliveryTargets, 'noticesOf' | 'nameOf'>,
): Promise<StoredEnds> {
  const known = new Map<string, TargetBefore>();
  const notices: NewDelivery[] = [];
  const stored: StoredEnd[] = [];
  for (const end of ends) {
    const next = nextState(end);
    if (!storeEnd(statements, end, next)) continue;
    stored.push({ end, next });
    const key = targetKey(end.delivery.target);
    const before = known.get(key) ?? (await readTarget(transaction, key, end.delivery.organizationId));
    const after = targetAfter(before, end, next);
    known.set(key, after.target);
    notices.push(...after.notices.flatMap((notice) => targets.noticesOf(notice)));
  }
  for (const [key, target] of known) await storeTarget(transaction, key, target);
  await writeMissedNotices(transaction, stored, targets);
  await addDeliveries(transaction, notices, Math.max(0, ...ends.map(endedAt)));
  return { notices, disabling: new Map([...known].flatMap(([key, { disabling }]) => (disabling === null ? [] : [[key, disabling]]))) };
}

/** Statements that run for each attempt. */
export interface EndStatements {
  readonly update: PreparedStatement<unknown>;
  readonly log: PreparedStatement<unknown>;
}

export function prepareEnds({ queries, prepare }: EventsDatabase): EndStatements {
  const state = { state: 'pending', failure: null, step: 0, due_at: null, ended_at: null, attempts: 0 } as const;
  const attempt = { delivery_id: '', number: 0, started_at: 0, duration_ms: 0, outcome: 'delivered', reason: null } as const;
  return {
    update: prepare(queries.updateTable('deliveries').set(state).where('id', '=', '')),
    log: prepare(queries.insertInto('attempts').values({ ...attempt, status: null, request_head: null, response_head: null })),
  };
}

/** @returns false when the delivery is no more. */
function storeEnd({ update, log }: EndStatements, end: AttemptEnd, next: NextState): boolean {
  const { delivery, attempted, startedAt, durationMs } = end;
  const made = attempted === 'gone' ? 0 : 1;
  const { state, failure, step, dueAt } = next;
  if (update.change(state, failure, step, dueAt, next.endedAt, delivery.attempts + made, delivery.id) === 0) return false;
  if (attempted === 'gone') return true;
  const { outcome, requestHead } = attempted;
  const reason = outcome.kind === 'delivered' ? null : outcome.reason;
  const { status = null, head = null } = outcome.response ?? {};
  log.change(
    delivery.id,
    delivery.attempts + made,
    startedAt,
    Math.round(durationMs),
    outcome.kind,
    reason,
    status,
    requestHead ?? null,
    head,
  );
  return true;
}

function targetAfter(
  before: TargetBefore,
  end: AttemptEnd,
  next: NextState,
): { readonly target: TargetBefore; readonly notices: readonly Notice[] } {
  const { delivery, attempted } = end;
  if (attempted === 'gone') return { target: before, notices: [] };
  const { outcome } = attempted;
  const at = endedAt(end);
  const after = { ...before, ...healthAfter(before, outcome, end) };
  const notice = (type: Notice['type']): Notice => ({
    type,
    organizationId: delivery.organizationId,
    target: delivery.target,
    deliveryId: delivery.id,
    eventType: delivery.type,
    reason: outcome.kind === 'delivered' ? '' : outcome.reason,
    at,
  });
  const isDisabled = before.disabling === null && after.disabling !== null;
  // A notice that does not arrive is no reason for another one.
  const isExhausted = next.failure === 'exhausted' && !delivery.type.startsWith('webhook.');
  const isNotified = isExhausted && (before.noticedAt === null || at - before.noticedAt >= noticeIntervalMs);
  return {
    target: isNotified ? { ...after, noticedAt: at } : after,
    notices: [...(isNotified ? [notice('webhook.exhausted')] : []), ...(isDisabled ? [notice('webhook.disabled')] : [])],
  };
}

async function readTarget({ queries }: EventsQueries, key: string, organizationId: OrganizationId): Promise<TargetBefore> {
  const row = await queries.selectFrom('targets').selectAll().where('target', '=', key).executeTakeFirst();
  return row === undefined
    ? { ...unknownHealth, organizationId, noticedAt: null }
    : { ...healthOf(row), organizationId, noticedAt: row.noticed_at };
}

export function healthOf(row: Selectable<TargetsTable>): TargetHealth {
  return {
    failedInARow: row.failed_in_a_row,
    failingSince: row.failing_since,
    lastSuccessAt: row.last_success_at,
    lastFailureAt: row.last_failure_at,
    disabling: row.disabling,
  };
}

async function storeTarget({ queries }: EventsQueries, key: string, target: TargetBefore): Promise<void> {
  const values = {
    failed_in_a_row: target.failedInARow,
    failing_since: target.failingSince,
    last_success_at: target.lastSuccessAt,
    last_failure_at: target.lastFailureAt,
    noticed_at: target.noticedAt,
    disabling: target.disabling,
  };
  await queries
    .insertInto('targets')
    .values({ target: key, organization_id: target.organizationId, pruned: 0, ...values })
    .onConflict((conflict) => conflict.column('target').doUpdateSet(values))
    .execute();
}
