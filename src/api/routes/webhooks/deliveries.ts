import { z } from '@hono/zod-openapi';
import { deliveriesAnswerSchema, deliveriesPageSchema, deliveryAnswerSchema } from '../../../contract/events/deliveries.ts';
import { type Endpoint, type RequestContext, cursorHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readQueryParameters } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import {
  deliveryDetailItem,
  deliveryIdParameter,
  deliveryItem,
  foundDelivery,
  foundWebhook,
  webhookIdOf,
  webhookIdParameter,
} from './item.ts';

export const listDeliveries: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/webhooks/{id}/deliveries',
    operationId: 'listDeliveries',
    summary: 'List the deliveries of a webhook',
    description: 'Newest first. The log keeps 30 days and 1 GiB at most, unless the deployment says otherwise.',
    security: keyRequired,
    request: { params: z.object({ id: webhookIdParameter }), query: deliveriesPageSchema },
    responses: {
      200: {
        description: 'The page.',
        headers: cursorHeader,
        content: jsonContent(deliveriesAnswerSchema),
      },
      ...problems(404, 422),
    },
  },
  action: 'read',
  handle: answerList,
};

async function answerList({ context, principal, ports }: RequestContext): Promise<Response> {
  const id = webhookIdOf(context);
  const { state, cursor, limit } = readQueryParameters(context, deliveriesPageSchema);
  const page = { state, behind: cursor, limit };
  const deliveries = foundWebhook(await ports.webhooks.deliveries(principal.organizationId, id, page));
  const last = deliveries.at(-1);
  if (last !== undefined && deliveries.length === limit) context.header('svc-next-cursor', last.id);
  return sendData(context, deliveries.map(deliveryItem));
}

export const getDelivery: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}',
    operationId: 'getDelivery',
    summary: 'Read a delivery with its attempts',
    description:
      'Each attempt shows the head of its request and of its response. Bodies of requests are not kept, and signatures are not shown.',
    security: keyRequired,
    request: { params: z.object({ id: webhookIdParameter, deliveryId: deliveryIdParameter }) },
    responses: { 200: { description: 'The delivery.', content: jsonContent(deliveryAnswerSchema) }, ...problems(404) },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) => {
    const deliveryId = context.req.param('deliveryId') ?? '';
    const found = await ports.webhooks.delivery(principal.organizationId, webhookIdOf(context), deliveryId);
    return sendData(context, deliveryDetailItem(foundDelivery(found), principal));
  },
};
