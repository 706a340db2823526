import type { AlertMessage } from '../../model/events/alert-message.ts';
import type { DeliveryTarget, EventType, NewDelivery } from '../../model/events/event.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { JsonObject } from '../../model/text.ts';
import { alertData } from '../channels/payloads/webhook.ts';
import type { Delivery } from '../log/due.ts';
import type { DisablingReason } from '../schema/schema.ts';
import type { ChannelTargets } from './channel-targets.ts';
import { messageBody } from './message-body.ts';
import type { Notice, Payload, TargetState } from './target.ts';
import type { WebhookTargets } from './webhook-targets.ts';

/** Bodies of events about requests of one target, by identifier of the delivery; a request that is no more is `gone`. */
export type RequestPayloads = (deliveries: readonly Delivery[], signal: AbortSignal) => Promise<ReadonlyMap<string, Payload>>;

export interface DeliveryTargetParts {
  readonly webhook: Pick<WebhookTargets, keyof WebhookTargets>;
  readonly channel: Pick<ChannelTargets, keyof ChannelTargets>;
  readonly requestPayloads: RequestPayloads;
}

/** The targets of deliveries, by their kind. An attempt asks that of its kind to `send`. */
export class DeliveryTargets {
  readonly webhook: DeliveryTargetParts['webhook'];
  readonly channel: DeliveryTargetParts['channel'];
  private readonly requestPayloads: RequestPayloads;

  constructor({ webhook, channel, requestPayloads }: DeliveryTargetParts) {
    this.webhook = webhook;
    this.channel = channel;
    this.requestPayloads = requestPayloads;
  }

  state(organizationId: OrganizationId, target: DeliveryTarget): TargetState {
    return target.kind === 'webhook' ? this.webhook.state(organizationId, target) : this.channel.state(organizationId, target);
  }

  /**
   * The bodies of some deliveries of one target, by identifier, made from what is stored at this moment. @throws when they cannot be made
   * now; the target waits then, and no attempt is used up.
   */
  async payloadsOf(deliveries: readonly Delivery[], signal: AbortSignal): Promise<ReadonlyMap<string, Payload>> {
    const ofRequests = deliveries.filter(({ subject }) => subject.kind === 'request');
    const made = ofRequests.length === 0 ? new Map<string, Payload>() : await this.requestPayloads(ofRequests, signal);
    return new Map(deliveries.map((delivery) => [delivery.id, messagePayload(delivery) ?? made.get(delivery.id) ?? { kind: 'gone' }]));
  }

  /** Durable on return; may be called again for the same. */
  async disable(organizationId: OrganizationId, target: DeliveryTarget, reason: DisablingReason): Promise<void> {
    // A rule whose channel fails goes on to fire, and its deliveries show which messages failed.
    if (target.kind === 'webhook') await this.webhook.disable(organizationId, target, reason);
  }

  /** A target in words, at the beginning of a sentence. */
  nameOf(organizationId: OrganizationId, target: DeliveryTarget): string {
    return target.kind === 'webhook' ? `The webhook ${target.webhookId}` : this.channel.nameOf(organizationId, target);
  }

  /** Who else is notified, and of what. */
  noticesOf(notice: Notice): readonly NewDelivery[] {
    return [...this.webhook.noticesOf(notice), ...this.channel.noticesOf(notice)];
  }
}

function messagePayload({ type, occurredAt, subject }: Delivery): Payload | undefined {
  return subject.kind === 'message' ? { kind: 'body', body: messageBody(type, occurredAt, dataOf(type, subject.content)) } : undefined;
}

/** An alert is kept as channels tell it; a webhook gets it in the names of the API. */
function dataOf(type: EventType, content: JsonObject): JsonObject {
  return type === 'alert.triggered' || type === 'alert.resolved' ? alertData(content as unknown as AlertMessage) : content;
}
