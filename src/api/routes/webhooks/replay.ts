import { z } from '@hono/zod-openapi';
import { recoverBodySchema, recoveredAnswerSchema } from '../../../contract/events/deliveries.ts';
import { unwrap } from '../../../contract/fault.ts';
import { doneSchema } from '../../../contract/responses.ts';
import { bodyFault } from '../../../model/fault.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { deliveryIdParameter, foundDelivery, foundWebhook, webhookIdOf, webhookIdParameter } from './item.ts';

export const replayDelivery: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}/replay',
    operationId: 'replayDelivery',
    summary: 'Deliver an event again',
    description:
      'Takes a key with the permission `admin`. The delivery begins its schedule again, in whatever state it is, with the same `webhook-id` and what is stored of the request by then.',
    security: keyRequired,
    request: { params: z.object({ id: webhookIdParameter, deliveryId: deliveryIdParameter }) },
    responses: { 200: { description: 'It is due.', content: jsonContent(doneSchema) }, ...problems(404, 413, 422) },
  },
  action: 'administer',
  handle: answerReplay,
};

async function answerReplay(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  await refuseDisabled(call);
  const deliveryId = context.req.param('deliveryId') ?? '';
  const isReplayed = await ports.webhooks.replay(principal.organizationId, webhookIdOf(context), deliveryId);
  return sendData(context, foundDelivery(isReplayed ? null : undefined));
}

export const recoverDeliveries: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/webhooks/{id}/recover',
    operationId: 'recoverDeliveries',
    summary: 'Deliver all failed events since a time again',
    description: 'Takes a key with the permission `admin`. Each begins its schedule again, as in a replay.',
    security: keyRequired,
    request: { params: z.object({ id: webhookIdParameter }), body: { required: true, content: jsonContent(recoverBodySchema) } },
    responses: {
      200: { description: 'They are due.', content: jsonContent(recoveredAnswerSchema) },
      ...problems(400, 404, 413, 415, 422),
    },
  },
  action: 'administer',
  handle: answerRecover,
};

async function answerRecover(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const { since } = await readInput(context, recoverBodySchema);
  await refuseDisabled(call);
  const recovered = foundWebhook(await ports.webhooks.recover(principal.organizationId, webhookIdOf(context), since));
  return sendData(context, { recovered });
}

async function refuseDisabled({ context, principal, ports }: RequestContext): Promise<void> {
  const { webhook } = foundWebhook(await ports.webhooks.find(principal.organizationId, webhookIdOf(context)));
  if (webhook.disabled === null) return;
  unwrap(bodyFault([], 'The webhook is disabled. Enable it first: PUT /v1/webhooks/{id} with "enabled": true.'));
}
