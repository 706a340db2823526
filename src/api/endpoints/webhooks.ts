import { z } from 'zod';
import {
  deliveriesAnswerSchema,
  deliveriesPageSchema,
  deliveryAnswerSchema,
  recoverBodySchema,
  recoveredAnswerSchema,
  testAnswerSchema,
} from '../../contract/events/deliveries.ts';
import {
  newWebhookAnswerSchema,
  rotatedSecretAnswerSchema,
  webhookAnswerSchema,
  webhookBodySchema,
  webhooksAnswerSchema,
} from '../../contract/events/webhooks.ts';
import { unwrap } from '../../contract/fault.ts';
import { doneSchema } from '../../contract/responses.ts';
import { GatelogError } from '../../model/errors.ts';
import { alertLimits } from '../../model/events/alert-vocabulary.ts';
import { bodyFault } from '../../model/fault.ts';
import type { OrganizationId, Uuid } from '../../model/ids.ts';
import { may, type Principal } from '../../model/principal.ts';
import type { LoggedAttempts, LoggedDelivery } from '../../events/log/deliveries.ts';
import { propertyFiltersOf } from '../../events/webhooks/property-filters.ts';
import type { WebhookView } from '../../events/webhooks.ts';
import { type DataOf, endpoint } from '../endpoint/endpoint.ts';
import { cursorHeader } from '../http/declared-responses.ts';
import { uuidParameter } from '../http/path-parameter.ts';
import { changeVersion, ifMatchSchema, setVersion, versionHeader } from '../page/versions.ts';
import { readWebhook, storedWebhook, unknownWebhook } from '../page/given-webhook.ts';
import type { ApiPorts } from '../endpoint/ports.ts';

/** Of the payload, as Helicone names it. */
const payloadVersion = '2024-10-22';

const id = uuidParameter('Identifier of the webhook, as the list shows it.', unknownWebhook);
const deliveryId = {
  schema: z.string().meta({ param: { name: 'deliveryId', in: 'path' }, description: 'Identifier of the delivery, its `webhook-id`.' }),
  read: (text: string) => text,
};

export const webhooks = [
  endpoint({
    at: 'POST /v1/webhooks',
    id: 'createWebhook',
    summary: 'Create a webhook',
    text: 'Takes a key with the permission `admin`. Events that happen from now on are posted to the destination, each at least once, signed as Standard Webhooks says. The answer alone shows the secret.',
    action: 'administer',
    body: webhookBodySchema,
    example: {
      destination: 'https://hooks.example.com/gatelog',
      name: 'production errors',
      config: { filter: { request_response_rmt: { status: { gte: 500 } } }, sampleRate: 100, events: ['request.completed'] },
    },
    answer: newWebhookAnswerSchema,
    answered: 'Created.',
    errors: [400, 413, 415, 422],
    run: async ({ tenant, principal, ports, body }) => {
      const given = unwrap(readWebhook(body, ports));
      const { hmacKey, secret, ...shown } = storedWebhook(await ports.webhooks.create(tenant, given));
      return { ...itemOf(shown, principal), hmac_key: hmacKey, secret };
    },
  }),
  endpoint({
    at: 'GET /v1/webhooks',
    id: 'listWebhooks',
    summary: 'List the webhooks of the organisation',
    text: 'The oldest first, each with how its deliveries go. No secret is shown, and of a `destination` only keys with the permission `admin` see path and query.',
    action: 'read',
    answer: webhooksAnswerSchema,
    answered: 'The webhooks.',
    run: async ({ tenant, principal, ports }) => (await ports.webhooks.list(tenant)).map((webhook) => itemOf(webhook, principal)),
  }),
  endpoint({
    at: 'GET /v1/webhooks/{id}',
    id: 'getWebhook',
    summary: 'Read a webhook and how its deliveries go',
    text: 'Its secret is not shown, and path and query of its `destination` only to a key with the permission `admin`.',
    action: 'read',
    params: { id },
    answer: webhookAnswerSchema,
    answered: 'The webhook.',
    headers: versionHeader,
    errors: [404],
    run: async ({ context, tenant, principal, ports, params }) => {
      const found = foundWebhook(await ports.webhooks.find(tenant, params.id));
      if (may(principal, 'administer')) setVersion(context, found.webhook);
      return itemOf(found, principal);
    },
  }),
  endpoint({
    at: 'PUT /v1/webhooks/{id}',
    id: 'replaceWebhook',
    summary: 'Replace the definition of a webhook',
    text: 'Takes a key with the permission `admin`. What is absent gets its default, except `enabled`; the secret stays. A disabled webhook that is enabled gets events from now on. Pending deliveries go to the new destination. With `If-Match` it overwrites no change of somebody else.',
    action: 'administer',
    params: { id },
    requestHeaders: ifMatchSchema,
    body: webhookBodySchema,
    example: { destination: 'https://hooks.example.com/gatelog', enabled: true },
    answer: webhookAnswerSchema,
    answered: 'Replaced.',
    headers: versionHeader,
    errors: [400, 404, 409, 413, 415, 422],
    run: async ({ context, tenant, principal, ports, params, body }) => {
      const given = unwrap(readWebhook(body, ports));
      return changeVersion({
        context,
        tenant,
        present: async () => foundWebhook(await ports.webhooks.find(tenant, params.id)).webhook,
        change: async () => itemOf(storedWebhook(await ports.webhooks.replace(tenant, params.id, given)), principal),
      });
    },
  }),
  endpoint({
    at: 'DELETE /v1/webhooks/{id}',
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    text: 'Takes a key with the permission `admin`. Its pending deliveries and its log go with it. A webhook that is a channel of an alert rule is not deleted.',
    action: 'administer',
    params: { id },
    answer: doneSchema,
    answered: 'Deleted.',
    errors: [404, 413, 422],
    run: async ({ tenant, ports, params }) => {
      await refuseTold(tenant, params.id, ports);
      return foundWebhook((await ports.webhooks.remove(tenant, params.id)) ? null : undefined);
    },
  }),
  endpoint({
    at: 'POST /v1/webhooks/{id}/test',
    id: 'testWebhook',
    summary: 'Send a test event to a webhook',
    text: 'Takes a key with the permission `admin`. Posts an event `webhook.test` once, also to a disabled webhook, and answers when the destination has answered, at the latest after 20 s.',
    action: 'administer',
    params: { id },
    answer: testAnswerSchema,
    answered: 'How it went.',
    errors: [404, 413],
    run: async ({ tenant, principal, ports, params }) => outcomeOf(foundWebhook(await ports.webhooks.test(tenant, params.id)), principal),
  }),
  endpoint({
    at: 'POST /v1/webhooks/{id}/rotate-secret',
    id: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    text: 'Takes a key with the permission `admin`. For 24 hours `webhook-signature` holds a signature of each of the two secrets, and `Svc-Signature`, which has room for one, is made with the previous.',
    action: 'administer',
    params: { id },
    answer: rotatedSecretAnswerSchema,
    answered: 'The new secret.',
    errors: [404, 413],
    run: async ({ tenant, ports, params }) => {
      const { hmacKey, secret, previousEndsAt } = foundWebhook(await ports.webhooks.rotateSecret(tenant, params.id));
      return { hmac_key: hmacKey, secret, previous_signs_until: isoTime(previousEndsAt) };
    },
  }),
  endpoint({
    at: 'GET /v1/webhooks/{id}/deliveries',
    id: 'listDeliveries',
    summary: 'List the deliveries of a webhook',
    text: 'Newest first. The log keeps 30 days and 1 GiB at most, unless the deployment says otherwise.',
    action: 'read',
    params: { id },
    query: deliveriesPageSchema,
    answer: deliveriesAnswerSchema,
    answered: 'The page.',
    headers: cursorHeader,
    errors: [404, 422],
    run: async ({ context, tenant, ports, params, query: { state, cursor, limit } }) => {
      const page = { state, behind: cursor, limit };
      const deliveries = foundWebhook(await ports.webhooks.deliveries(tenant, params.id, page));
      const last = deliveries.at(-1);
      if (last !== undefined && deliveries.length === limit) context.header('svc-next-cursor', last.id);
      return deliveries.map(deliveryItem);
    },
  }),
  endpoint({
    at: 'GET /v1/webhooks/{id}/deliveries/{deliveryId}',
    id: 'getDelivery',
    summary: 'Read a delivery with its attempts',
    text: 'Each attempt shows the head of its request and of its response. Bodies of requests are not kept, and signatures are not shown.',
    action: 'read',
    params: { id, deliveryId },
    answer: deliveryAnswerSchema,
    answered: 'The delivery.',
    errors: [404],
    run: async ({ tenant, principal, ports, params }) =>
      deliveryDetailItem(foundDelivery(await ports.webhooks.delivery(tenant, params.id, params.deliveryId)), principal),
  }),
  endpoint({
    at: 'POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay',
    id: 'replayDelivery',
    summary: 'Deliver an event again',
    text: 'Takes a key with the permission `admin`. The delivery begins its schedule again, in whatever state it is, with the same `webhook-id` and what is stored of the request by then.',
    action: 'administer',
    params: { id, deliveryId },
    answer: doneSchema,
    answered: 'It is due.',
    errors: [404, 413, 422],
    run: async ({ tenant, ports, params }) => {
      await refuseDisabled(tenant, params.id, ports);
      return foundDelivery((await ports.webhooks.replay(tenant, params.id, params.deliveryId)) ? null : undefined);
    },
  }),
  endpoint({
    at: 'POST /v1/webhooks/{id}/recover',
    id: 'recoverDeliveries',
    summary: 'Deliver all failed events since a time again',
    text: 'Takes a key with the permission `admin`. Each begins its schedule again, as in a replay.',
    action: 'administer',
    // As text: the faults of the body come before that of the webhook.
    params: { id: { schema: id.schema, read: (text: string) => text } },
    body: recoverBodySchema,
    example: { since: '2026-01-31T12:00:00Z' },
    answer: recoveredAnswerSchema,
    answered: 'They are due.',
    errors: [400, 404, 413, 415, 422],
    run: async ({ tenant, ports, params, body }) => {
      const webhookId = id.read(params.id);
      await refuseDisabled(tenant, webhookId, ports);
      return { recovered: foundWebhook(await ports.webhooks.recover(tenant, webhookId, body.since)) };
    },
  }),
];

/** @param principal who may read and not administer is shown no path or query of an address: they may be its secret. */
function itemOf({ webhook, status }: WebhookView, principal: Principal): DataOf<typeof webhookAnswerSchema> {
  const { disabled, filter, sampleRate, events } = webhook;
  return {
    id: webhook.id,
    created_at: isoTime(webhook.createdAt),
    changed_at: isoTime(webhook.changedAt),
    destination: may(principal, 'administer') ? webhook.destination : `${new URL(webhook.destination).origin}/…`,
    name: webhook.name,
    version: payloadVersion,
    config: { filter, propertyFilters: propertyFiltersOf(filter), sampleRate, events },
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

function deliveryItem(delivery: LoggedDelivery): DataOf<typeof deliveriesAnswerSchema>[number] {
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

/** @param principal as of {@link itemOf}. */
function deliveryDetailItem({ delivery, content, attempts }: LoggedAttempts, principal: Principal): DataOf<typeof deliveryAnswerSchema> {
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

function outcomeOf(tested: LoggedAttempts, principal: Principal): DataOf<typeof testAnswerSchema> {
  const { state, last_reason, last_status } = tested.delivery;
  const success = state === 'delivered';
  const message = success ? `The destination answered ${String(last_status)}.` : (last_reason ?? 'The event was not delivered.');
  return { success, message, delivery: deliveryDetailItem(tested, principal) };
}

/** @throws GatelogError `not_found` without a value. */
function foundWebhook<Value>(found: Value | undefined): Value {
  if (found === undefined) throw unknownWebhook();
  return found;
}

/** @throws GatelogError `not_found` without a value. */
function foundDelivery<Value>(found: Value | undefined): Value {
  if (found === undefined) {
    throw new GatelogError(
      'not_found',
      'The webhook has no such delivery in its log; GET /v1/webhooks/{id}/deliveries lists them, and drops the oldest.',
    );
  }
  return found;
}

/** @throws GatelogError 404, or 422 for a webhook that is disabled. */
async function refuseDisabled(organizationId: OrganizationId, webhookId: Uuid, ports: Pick<ApiPorts, 'webhooks'>): Promise<void> {
  const { webhook } = foundWebhook(await ports.webhooks.find(organizationId, webhookId));
  if (webhook.disabled === null) return;
  unwrap(bodyFault([], 'The webhook is disabled. Enable it first: PUT /v1/webhooks/{id} with "enabled": true.'));
}

const maxNamed = 5;

/** Rules that tell a webhook would go on to fire, and nobody would be told. @throws GatelogError 422 for such a webhook. */
async function refuseTold(organizationId: OrganizationId, told: Uuid, { alerts }: Pick<ApiPorts, 'alerts'>): Promise<void> {
  const rules = await alerts.list(organizationId, { limit: alertLimits.rules, offset: 0 });
  const telling = rules.filter(({ channels }) => channels.some(({ webhookId }) => webhookId === told));
  if (telling.length === 0) return;
  const names = telling.slice(0, maxNamed).map(({ name }) => JSON.stringify(name));
  const more = telling.length > maxNamed ? ` and ${telling.length - maxNamed} more` : '';
  unwrap(
    bodyFault(
      [],
      `The webhook is a channel of alert rules: ${names.join(', ')}${more}. Give them other channels first (PUT /v1/alerts/{id}), or delete them.`,
    ),
  );
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
