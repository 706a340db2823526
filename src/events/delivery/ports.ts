import type { AttemptOutcome } from '../../model/events/attempt.ts';
import type { DeliveryTarget, EventType, NewDelivery } from '../../model/events/event.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Delivery } from '../log/due.ts';
import type { DisablingReason } from '../schema/schema.ts';

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
  /** Request line and headers as they were sent; undefined: not an HTTP request, or none was made. */
  readonly requestHead: string | undefined;
}

/** @returns how the attempt ended. Throws only when the signal aborts it. */
export type Send = (attempt: Attempt, signal: AbortSignal) => Promise<Attempted>;

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

export interface OutboxPorts {
  readonly targetState: (organizationId: OrganizationId, target: DeliveryTarget) => TargetState;
  /**
   * The bodies of some deliveries of one target, by identifier, made from what is stored at this moment. @throws when they cannot be made
   * now; the target waits then, and no attempt is used up.
   */
  readonly payloadsOf: (deliveries: readonly Delivery[], signal: AbortSignal) => Promise<ReadonlyMap<string, Payload>>;
  readonly send: Send;
  /** Disables a target; durable on return. It may be called again for the same. */
  readonly disable: (organizationId: OrganizationId, target: DeliveryTarget, reason: DisablingReason) => Promise<void>;
  /** A target in words, at the beginning of a sentence. */
  readonly nameOf: (organizationId: OrganizationId, target: DeliveryTarget) => string;
  /** Who else is told, and what. */
  readonly noticesOf: (notice: Notice) => readonly NewDelivery[];
}
