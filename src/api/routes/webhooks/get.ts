import { z } from '@hono/zod-openapi';
import { webhookAnswerSchema } from '../../../contract/events/webhooks.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { foundWebhook, webhookIdOf, webhookIdParameter, webhookItem } from './item.ts';

export const getWebhook: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/webhooks/{id}',
    operationId: 'getWebhook',
    summary: 'Read a webhook and how its deliveries go',
    description: 'Its secret is not shown, and path and query of its `destination` only to a key with the permission `admin`.',
    security: keyRequired,
    request: { params: z.object({ id: webhookIdParameter }) },
    responses: { 200: { description: 'The webhook.', content: jsonContent(webhookAnswerSchema) }, ...problems(404) },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) =>
    sendData(context, webhookItem(foundWebhook(await ports.webhooks.find(principal.organizationId, webhookIdOf(context))), principal)),
};
