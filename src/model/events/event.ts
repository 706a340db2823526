import type { OrganizationId, RequestId } from '../ids.ts';
import type { JsonObject } from '../text.ts';

/** Events that a webhook may ask for. */
export const webhookEvents = ['request.completed', 'request.updated', 'alert.triggered', 'alert.resolved'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** All events: a test is sent when it is asked for, the others tell of a webhook that fails. */
export const eventTypes = [...webhookEvents, 'webhook.test', 'webhook.exhausted', 'webhook.disabled'] as const;
export type EventType = (typeof eventTypes)[number];

/** Where a delivery goes: to a stored webhook, or to a channel of an alert. */
export type DeliveryTarget =
  | { readonly kind: 'webhook'; readonly webhookId: string }
  | { readonly kind: 'channel'; readonly alertId: string; readonly channelId: string };

/** The content of a delivery. */
export type DeliverySubject =
  /** The payload is made from the store at each attempt: no erased record is sent, and no body is copied. */
  | {
      readonly kind: 'request';
      readonly requestId: RequestId;
      /** The record's time, which locates it; Unix milliseconds. */
      readonly createdAt: number;
    }
  | {
      readonly kind: 'message';
      readonly content: JsonObject;
      /** The alert rule that it is about. */
      readonly alertId?: string;
    };

/** An event for one target. */
export interface NewDelivery {
  readonly organizationId: OrganizationId;
  readonly target: DeliveryTarget;
  readonly type: EventType;
  readonly subject: DeliverySubject;
  /** When it happened, Unix milliseconds. */
  readonly occurredAt: number;
  /** Why the target's filter could not decide about it, as a sentence: nothing is sent, and the log says so. */
  readonly undecided?: string;
}
