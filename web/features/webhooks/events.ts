import type { Webhook } from '../../../src/client/client.ts';
import { ownOf } from '../../lib/own.ts';

export type WebhookEvent = Webhook['config']['events'][number];

export const webhookEvents: readonly { readonly id: WebhookEvent; readonly title: string }[] = [
  { id: 'request.completed', title: 'Request recorded' },
  { id: 'request.updated', title: 'Request changed' },
  { id: 'alert.triggered', title: 'Alert firing' },
  { id: 'alert.resolved', title: 'Alert resolved' },
];

/** What a webhook itself makes. */
const ownEvents: Readonly<Record<string, string>> = {
  'webhook.test': 'Test',
  'webhook.exhausted': 'Delivery given up',
  'webhook.disabled': 'Webhook disabled',
};

/** An event is called the same wherever it stands. */
export function eventTitle(type: string): string {
  return webhookEvents.find(({ id }) => id === type)?.title ?? ownOf(ownEvents, type) ?? type;
}

export function eventsText(events: readonly string[]): string {
  return events.map((event) => eventTitle(event)).join(', ');
}
