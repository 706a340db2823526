import type { AlertMessage } from '../../model/events/alert-message.ts';
import { endedAt, type AttemptEnd, type NextState } from './attempt-end.ts';
import type { EventsQueries } from '../database/database.ts';
import type { DeliveryTargets } from '../targets/targets.ts';
import { addHistory, type NewHistoryRow } from '../log/alert-history.ts';

/** An attempt that ended, and what becomes of its delivery. */
export interface StoredEnd {
  readonly end: AttemptEnd;
  readonly next: NextState;
}

/** Writes into the history of rules what their channels were not told: the first time that it fails, and when it is given up. */
export async function writeMissedNotices(
  transaction: EventsQueries,
  ends: readonly StoredEnd[],
  targets: Pick<DeliveryTargets, 'nameOf'>,
): Promise<void> {
  for (const end of ends) {
    const row = rowOf(end, targets);
    if (row !== undefined) await addHistory(transaction, row.rule_id, [row]);
  }
}

function rowOf({ end, next }: StoredEnd, targets: Pick<DeliveryTargets, 'nameOf'>): NewHistoryRow | undefined {
  const { delivery, attempted } = end;
  const { organizationId, target, subject, type, attempts } = delivery;
  if (target.kind !== 'channel' || subject.kind !== 'message' || type.startsWith('webhook.')) return undefined;
  if (attempted === 'gone' || attempted.outcome.kind === 'delivered') return undefined;
  const isOver = next.state === 'failed';
  if (!isOver && attempts > 0) return undefined;
  const { threshold, window, incidentId } = subject.content as unknown as AlertMessage;
  return {
    organization_id: organizationId,
    rule_id: target.alertId,
    at: Math.round(endedAt(end)),
    state: 'error',
    group_key: '[]',
    dimensions: '[]',
    value: null,
    threshold,
    window_from: window.from,
    window_to: window.to,
    incident_id: incidentId,
    late: 0,
    value_before: null,
    reason: `${targets.nameOf(organizationId, target)} was not told: ${attempted.outcome.reason} ${isOver ? 'It is not tried again.' : 'It is tried again.'}`,
  };
}
