import type { AttemptOutcome } from '../../model/events/attempt.ts';
import type { StoredChannel } from '../../model/events/channel.ts';
import type { DeliveryTarget, EventType } from '../../model/events/event.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Delivery } from '../log/due.ts';

export type WebhookTarget = Extract<DeliveryTarget, { readonly kind: 'webhook' }>;
export type ChannelTarget = Extract<DeliveryTarget, { readonly kind: 'channel' }>;

/** `gone`: the request was removed, so that nothing is sent. */
export type Payload = { readonly kind: 'body'; readonly body: string } | { readonly kind: 'gone' };

export interface Attempt {
  readonly delivery: Delivery;
  readonly body: string;
  /** Unix milliseconds. */
  readonly at: number;
}

export interface Attempted {
  readonly outcome: AttemptOutcome;
  /** Request line and headers as they were sent, without what is secret of them; undefined: not an HTTP request, or none was made. */
  readonly requestHead: string | undefined;
}

/** Nothing was sent. @param kind `failed`: a later attempt may be. */
export function notSent(reason: string, kind: 'refused' | 'failed'): Attempted {
  const outcome = { reason, response: undefined };
  return {
    outcome: kind === 'refused' ? { ...outcome, kind, disables: false } : { ...outcome, kind, retryAfterMs: undefined },
    requestHead: undefined,
  };
}

/** `destination`: deliveries of an organisation with the same one share its bounds. */
export type TargetState =
  | { readonly kind: 'open'; readonly destination: string }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'removed' };

/** That a delivery is given up, or that a target gets nothing any more. */
export interface Notice {
  readonly type: 'webhook.exhausted' | 'webhook.disabled';
  readonly organizationId: OrganizationId;
  readonly target: DeliveryTarget;
  /** The delivery whose attempt decided it; null: no attempt did. */
  readonly deliveryId: string | null;
  readonly eventType: EventType;
  readonly reason: string;
  readonly at: number;
}

/** A rule that alerts, as far as deliveries know it. */
export interface ChannelOwner {
  readonly id: string;
  readonly channels: readonly StoredChannel[];
}

/** Rules with their channels. */
export interface ChannelOwners {
  readonly of: (organizationId: OrganizationId) => readonly ChannelOwner[];
  /** A rule that was deleted, while its channels are notified that it ended. */
  readonly deletedRule: (id: string) => (ChannelOwner & { readonly organizationId: OrganizationId }) | undefined;
}
