import { z } from '@hono/zod-openapi';
import { webhookAnswerSchema, webhookBodySchema } from '../../../contract/events/webhooks.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { givenWebhook } from './given.ts';
import { storedWebhook, webhookIdOf, webhookIdParameter, webhookItem } from './item.ts';

export const replaceWebhook: Endpoint = {
  declaration: {
    method: 'put',
    path: '/v1/webhooks/{id}',
    operationId: 'replaceWebhook',
    summary: 'Replace the definition of a webhook',
    description:
      'Takes a key with the permission `admin`. What is absent gets its default, except `enabled`; the secret stays. A disabled webhook that is enabled gets events from now on. Pending deliveries go to the new destination.',
    security: keyRequired,
    request: { params: z.object({ id: webhookIdParameter }), body: { required: true, content: jsonContent(webhookBodySchema) } },
    responses: {
      200: { description: 'Replaced.', content: jsonContent(webhookAnswerSchema) },
      ...problems(400, 404, 413, 415, 422),
    },
  },
  action: 'administer',
  handle: answerReplace,
};

async function answerReplace({ context, principal, ports }: RequestContext): Promise<Response> {
  const id = webhookIdOf(context);
  const given = givenWebhook(await readInput(context, webhookBodySchema), ports);
  return sendData(context, webhookItem(storedWebhook(await ports.webhooks.replace(principal.organizationId, id, given)), principal));
}
