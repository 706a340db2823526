import type { DeliveryTarget, EventType, NewDelivery } from '../model/events/event.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { Notice, OutboxPorts, Payload, Send, TargetState } from './delivery/ports.ts';
import type { Delivery } from './log/due.ts';
import type { DisablingReason } from './schema/schema.ts';
import type { WebhookTargets } from './webhooks/delivering.ts';
import { alertData } from './channels/payloads/webhook.ts';
import type { AlertMessage } from '../model/events/alert-message.ts';
import type { JsonObject } from '../model/text.ts';
import { messageBody } from './webhooks/message-body.ts';

/** What defines targets of one kind and sends to them. */
export interface DeliveryHandler<Kind extends DeliveryTarget['kind']> {
  readonly state: (organizationId: OrganizationId, target: TargetOf<Kind>) => TargetState;
  readonly send: Send;
  /** Durable on return; may be called again for the same. */
  readonly disable: (organizationId: OrganizationId, target: TargetOf<Kind>, reason: DisablingReason) => Promise<void>;
  /** A target in words, at the beginning of a sentence. */
  readonly nameOf: (organizationId: OrganizationId, target: TargetOf<Kind>) => string;
  /** Who is told of it among the targets of this kind. */
  readonly noticesOf: (notice: Notice) => readonly NewDelivery[];
}

type TargetOf<Kind> = Extract<DeliveryTarget, { readonly kind: Kind }>;

export interface DeliveryHandlers {
  readonly webhook: DeliveryHandler<'webhook'>;
  readonly channel: DeliveryHandler<'channel'>;
}

/** Bodies of events about requests of one target, by identifier of the delivery; a request that is no more is `gone`. */
export type RequestPayloads = OutboxPorts['payloadsOf'];

/** The ports of the outbox, by kind of target. */
export function outboxPorts(handlers: DeliveryHandlers, requestPayloads: RequestPayloads): OutboxPorts {
  return {
    targetState: (organizationId, target) =>
      target.kind === 'webhook' ? handlers.webhook.state(organizationId, target) : handlers.channel.state(organizationId, target),
    send: (attempt, signal) => handlers[attempt.delivery.target.kind].send(attempt, signal),
    disable: (organizationId, target, reason) =>
      target.kind === 'webhook'
        ? handlers.webhook.disable(organizationId, target, reason)
        : handlers.channel.disable(organizationId, target, reason),
    nameOf: (organizationId, target) =>
      target.kind === 'webhook' ? handlers.webhook.nameOf(organizationId, target) : handlers.channel.nameOf(organizationId, target),
    noticesOf: (notice) => [...handlers.webhook.noticesOf(notice), ...handlers.channel.noticesOf(notice)],
    payloadsOf: async (deliveries, signal) => {
      const ofRequests = deliveries.filter(({ subject }) => subject.kind === 'request');
      const made = ofRequests.length === 0 ? new Map<string, Payload>() : await requestPayloads(ofRequests, signal);
      return new Map(deliveries.map((delivery) => [delivery.id, messagePayload(delivery) ?? made.get(delivery.id) ?? { kind: 'gone' }]));
    },
  };
}

function messagePayload({ type, occurredAt, subject }: Delivery): Payload | undefined {
  return subject.kind === 'message' ? { kind: 'body', body: messageBody(type, occurredAt, dataOf(type, subject.content)) } : undefined;
}

export function webhookHandler(targets: WebhookTargets): DeliveryHandler<'webhook'> {
  return {
    state: (organizationId, { webhookId }) => targets.state(organizationId, webhookId),
    send: (attempt, signal) => targets.send(attempt, signal),
    disable: (organizationId, { webhookId }, reason) => targets.disable(organizationId, webhookId, reason),
    nameOf: (_organizationId, { webhookId }) => `The webhook ${webhookId}`,
    noticesOf: (notice) => targets.noticesOf(notice),
  };
}

/** An alert is kept as channels tell it; a webhook gets it in the names of the API. */
function dataOf(type: EventType, content: JsonObject): JsonObject {
  return type === 'alert.triggered' || type === 'alert.resolved' ? alertData(content as unknown as AlertMessage) : content;
}
