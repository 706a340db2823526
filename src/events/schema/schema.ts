import type { Generated } from 'kysely';
import type { EventType } from '../../model/events/event.ts';
import type { DisabledReason } from '../../model/events/webhook.ts';
import type { MigratedTables } from '../../platform/sqlite/migrate.ts';
import type { AlertTables } from './alert-tables.ts';

/** Times are Unix milliseconds. */
export interface EventsTables extends MigratedTables, AlertTables {
  readonly deliveries: DeliveriesTable;
  readonly attempts: AttemptsTable;
  readonly targets: TargetsTable;
  readonly webhook_positions: WebhookPositionsTable;
  readonly updated_requests: UpdatedRequestsTable;
  readonly webhook_update_positions: WebhookPositionsTable;
}

/** `failed`: no further attempt is made; `gone`: the request was removed before it was delivered. */
export const deliveryStates = ['pending', 'delivered', 'failed', 'gone'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/**
 * Why a delivery failed: its attempts are used up, the receiver refuses it for good, its target was disabled or removed, or its target's filter
 * could not decide.
 */
export const failureReasons = ['exhausted', 'refused', 'disabled', 'filter'] as const;
export type FailureReason = (typeof failureReasons)[number];

export interface DeliveriesTable {
  /** `msg_` and a UUID of version 7: sorts by time, and is the `webhook-id` of all attempts. */
  id: string;
  organization_id: string;
  /** See `target.ts`. */
  target: string;
  type: EventType;
  /** Of a request event; null of a message. */
  request_id: string | null;
  request_created_at: number | null;
  /** JSON of a message; null of a request event. */
  content: string | null;
  /** Of a message about an alert rule; null of every other event. */
  alert_id: string | null;
  occurred_at: number;
  created_at: number;
  state: DeliveryState;
  failure: FailureReason | null;
  /** All attempts made. */
  attempts: number;
  /** The next attempt's place in the schedule; a replay begins at 0 again. */
  step: number;
  /** Of the next attempt; null once it ended. */
  due_at: number | null;
  ended_at: number | null;
}

export interface AttemptsTable {
  delivery_id: string;
  /** From 1. */
  number: number;
  started_at: number;
  duration_ms: number;
  outcome: 'delivered' | 'failed' | 'refused';
  /** Null of a delivered one. */
  reason: string | null;
  status: number | null;
  request_head: string | null;
  response_head: string | null;
}

export type DisablingReason = Exclude<DisabledReason, 'by_owner'>;

/** What the attempts of a target told. */
export interface TargetsTable {
  target: string;
  organization_id: string;
  failed_in_a_row: number;
  /** The first of those failures. */
  failing_since: number | null;
  last_success_at: number | null;
  last_failure_at: number | null;
  /** The last notice of an exhausted delivery. */
  noticed_at: number | null;
  /** Set until whoever defines the target has disabled it. */
  disabling: DisablingReason | null;
  /** Deliveries removed from the log because of its limits. */
  pruned: number;
}

export interface WebhookPositionsTable {
  webhook_id: string;
  organization_id: string;
  /** Everything up to it was looked at: a number of the order of storage, or the `seq` of an update. */
  position: number;
}

/** Changes of stored requests that a webhook may still have to announce. */
export interface UpdatedRequestsTable {
  seq: Generated<number>;
  organization_id: string;
  request_id: string;
  request_created_at: number;
  changed_at: number;
}
