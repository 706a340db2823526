import { type NewDelivery, webhookEvents } from '../../model/events/event.ts';
import type { MetricFamily, Meter } from '../../platform/metrics/meter.ts';

const announced: MetricFamily = {
  name: 'gatelog_webhook_events_total',
  kind: 'counter',
  help: 'Deliveries made for webhooks from stored or changed requests, by event.',
  labels: { event: webhookEvents },
};
const behind: MetricFamily = {
  name: 'gatelog_webhooks_behind_seconds',
  kind: 'gauge',
  help: 'Delay of the slowest webhook behind the stored requests.',
};

export const webhookFamilies: readonly MetricFamily[] = [announced, behind];

export function countAnnounced(meter: Meter, deliveries: readonly NewDelivery[]): void {
  for (const { type } of deliveries) meter.add(announced, [type]);
}

export function noteBehind(meter: Meter, behindMs: number): void {
  meter.set(behind, [], behindMs / 1000);
}
