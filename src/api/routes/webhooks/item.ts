import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { DeliveryDetailItem, DeliveryItem } from '../../../contract/events/deliveries.ts';
import type { WebhookItem } from '../../../contract/events/webhooks.ts';
import { GatelogError } from '../../../model/errors.ts';
import { parseUuid, type Uuid } from '../../../model/ids.ts';
import { may, type Principal } from '../../../model/principal.ts';
import type { LoggedAttempts, LoggedDelivery } from '../../../outbox/log/deliveries.ts';
import { propertyFiltersOf } from '../../../webhooks/property-filters.ts';
import type { WebhookRefusal } from '../../../metadata/organization/webhooks.ts';
import { webhookLimits } from '../../../model/vocabulary/limits.ts';
import { unwrap } from '../../../contract/fault.ts';
import { bodyFault } from '../../../model/fault.ts';
import type { ShownWebhook } from '../../../webhooks/webhooks.ts';

/** Of the payload, as Helicone names it. */
const payloadVersion = '2024-10-22';

export const webhookIdParameter = z
  .string()
  .openapi({ param: { name: 'id', in: 'path' }, description: 'Identifier of the webhook, as the list shows it.', format: 'uuid' });

export const deliveryIdParameter = z
  .string()
  .openapi({ param: { name: 'deliveryId', in: 'path' }, description: 'Identifier of the delivery, its `webhook-id`.' });

/** @throws GatelogError `not_found` for a text that is no UUID. */
export function webhookIdOf(context: Context): Uuid {
  const id = parseUuid(context.req.param('id') ?? '');
  if (id === undefined) throw noWebhook();
  return id;
}

/** @throws GatelogError `not_found` without a value. */
export function foundWebhook<Value>(found: Value | undefined): Value {
  if (found === undefined) throw noWebhook();
  return found;
}

/** @throws GatelogError `not_found` without a value. */
export function foundDelivery<Value>(found: Value | undefined): Value {
  if (found === undefined) {
    throw new GatelogError(
      'not_found',
      'The webhook has no such delivery in its log; GET /v1/webhooks/{id}/deliveries lists them, and drops the oldest.',
    );
  }
  return found;
}

/** The webhook, unless it was refused. @throws GatelogError 404 or 422. */
export function storedWebhook<Value extends object>(stored: Value | WebhookRefusal): Value {
  if (typeof stored !== 'string') return stored;
  if (stored === 'gone') throw noWebhook();
  if (stored === 'too_many') {
    return unwrap(
      bodyFault([], `An organisation has at most ${webhookLimits.webhooks} webhooks; delete one first (DELETE /v1/webhooks/{id}).`),
    );
  }
  return unwrap(bodyFault(['name'], 'Another webhook of the organisation has this name. Write another one, or change that webhook.'));
}

function noWebhook(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such webhook; GET /v1/webhooks lists them.');
}

/** @param principal who may read and not administer is shown no path or query of an address: they may be its secret. */
export function webhookItem({ webhook, status }: ShownWebhook, principal: Principal): WebhookItem {
  const { disabled, filter, sampleRate, events } = webhook;
  return {
    id: webhook.id,
    created_at: isoTime(webhook.createdAt),
    changed_at: isoTime(webhook.changedAt),
    destination: may(principal, 'administer') ? webhook.destination : `${new URL(webhook.destination).origin}/…`,
    name: webhook.name,
    version: payloadVersion,
    config: { filter, propertyFilters: [...propertyFiltersOf(filter)], sampleRate, events: [...events] },
    includeData: webhook.includeData,
    status: {
      state: disabled === null ? 'enabled' : 'disabled',
      disabled_reason: disabled?.reason ?? null,
      disabled_at: isoTimeOrNull(disabled?.at ?? null),
      pending: status.pending,
      failed_in_a_row: status.failedInARow,
      failing_since: isoTimeOrNull(status.failingSince),
      last_success_at: isoTimeOrNull(status.lastSuccessAt),
      last_failure_at: isoTimeOrNull(status.lastFailureAt),
      behind_seconds: Math.round(status.behindMs / 100) / 10,
      pruned: status.pruned,
    },
  };
}

export function deliveryItem(delivery: LoggedDelivery): DeliveryItem {
  return {
    id: delivery.id,
    type: delivery.type,
    request_id: delivery.request_id,
    state: delivery.state,
    failure: delivery.failure,
    occurred_at: isoTime(delivery.occurred_at),
    created_at: isoTime(delivery.created_at),
    attempts: delivery.attempts,
    next_attempt_at: isoTimeOrNull(delivery.due_at),
    ended_at: isoTimeOrNull(delivery.ended_at),
    last_status: delivery.last_status,
    last_reason: delivery.last_reason,
  };
}

/** @param principal as of {@link webhookItem}. */
export function deliveryDetailItem({ delivery, content, attempts }: LoggedAttempts, principal: Principal): DeliveryDetailItem {
  return {
    ...deliveryItem(delivery),
    content,
    attempt_log: attempts.map(({ delivery_id: _delivery, started_at, request_head, ...attempt }) => ({
      ...attempt,
      started_at: isoTime(started_at),
      request_head: request_head === null ? null : shownHead(request_head, principal),
    })),
  };
}

/** Whoever has a body with its signature can send it: `Svc-Signature` has no time. */
function shownHead(head: string, principal: Principal): string {
  const unsigned = head.replaceAll(/^((?:webhook|svc|helicone)-signature): .*$/gim, '$1: …');
  return may(principal, 'administer') ? unsigned : unsigned.replace(/^POST \S+/, 'POST /…');
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
