import type { MetricFamily, Meter } from '../../platform/metrics/meter.ts';
import { type AttemptEnd, nextState } from './attempt-end.ts';

const outcomes = ['delivered', 'failed', 'refused', 'gone'] as const;
const ends = ['delivered', 'exhausted', 'refused', 'disabled', 'gone'] as const;

const attempts: MetricFamily = {
  name: 'gatelog_delivery_attempts_total',
  kind: 'counter',
  help: 'Attempts to deliver an event; gone: its request had been removed, so that nothing was sent.',
  labels: { outcome: outcomes },
};
const ended: MetricFamily = {
  name: 'gatelog_deliveries_total',
  kind: 'counter',
  help: 'Deliveries that ended with an attempt, by how.',
  labels: { end: ends },
};
const attemptSeconds: MetricFamily = {
  name: 'gatelog_delivery_attempt_duration_seconds',
  kind: 'histogram',
  help: 'Duration of an attempt.',
  bounds: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
};
const delay: MetricFamily = {
  name: 'gatelog_delivery_delay_seconds',
  kind: 'histogram',
  help: 'From the event until it was delivered.',
  bounds: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 600, 3600, 21_600, 86_400, 345_600],
};
const pending: MetricFamily = {
  name: 'gatelog_deliveries_pending',
  kind: 'gauge',
  help: 'Deliveries that wait for their next attempt.',
};
const overdue: MetricFamily = {
  name: 'gatelog_deliveries_overdue_seconds',
  kind: 'gauge',
  help: 'How long the oldest due delivery waits; 0 while none does. Destinations that fail are left alone for a while.',
};
const pruned: MetricFamily = {
  name: 'gatelog_delivery_log_dropped_total',
  kind: 'counter',
  help: 'Deliveries that were dropped from the log: older than GATELOG_WEBHOOK_LOG_DAYS, or beyond GATELOG_WEBHOOK_LOG_MAX_BYTES.',
  labels: { reason: ['too_old', 'no_room'] },
};

export const outboxFamilies: readonly MetricFamily[] = [attempts, ended, attemptSeconds, delay, pending, overdue, pruned];

/** An attempt ended, and that is stored. */
export function countEnd(meter: Meter, end: AttemptEnd): void {
  const { attempted } = end;
  meter.add(attempts, [attempted === 'gone' ? 'gone' : attempted.outcome.kind]);
  if (attempted !== 'gone') meter.record(attemptSeconds, [], end.durationMs / 1000);
  const { state, failure, endedAt } = nextState(end);
  if (endedAt === null) return;
  meter.add(ended, [failure ?? state]);
  if (state === 'delivered') meter.record(delay, [], Math.max(0, endedAt - end.delivery.occurredAt) / 1000);
}

export function countPruned(meter: Meter, { expired, crowdedOut }: { readonly expired: number; readonly crowdedOut: number }): void {
  meter.add(pruned, ['too_old'], expired);
  meter.add(pruned, ['no_room'], crowdedOut);
}

export function notePending(meter: Meter, numbers: { readonly pending: number; readonly overdueMs: number }): void {
  meter.set(pending, [], numbers.pending);
  meter.set(overdue, [], numbers.overdueMs / 1000);
}
