import { newWebhookAnswerSchema, webhookBodySchema } from '../../../contract/events/webhooks.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { givenWebhook } from './given.ts';
import { storedWebhook, webhookItem } from './item.ts';

export const createWebhook: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/webhooks',
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Takes a key with the permission `admin`. Events that happen from now on are posted to the destination, each at least once, signed as Standard Webhooks says. The answer alone shows the secret.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(webhookBodySchema) } },
    responses: {
      200: { description: 'Created.', content: jsonContent(newWebhookAnswerSchema) },
      ...problems(400, 413, 415, 422),
    },
  },
  action: 'administer',
  handle: answerCreate,
};

async function answerCreate({ context, principal, ports }: RequestContext): Promise<Response> {
  const given = givenWebhook(await readInput(context, webhookBodySchema), ports);
  const { hmacKey, secret, ...shown } = storedWebhook(await ports.webhooks.create(principal.organizationId, given));
  return sendData(context, { ...webhookItem(shown, principal), hmac_key: hmacKey, secret });
}
