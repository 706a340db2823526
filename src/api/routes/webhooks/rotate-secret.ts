import { z } from '@hono/zod-openapi';
import { rotatedSecretAnswerSchema } from '../../../contract/events/webhooks.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { foundWebhook, isoTime, webhookIdOf, webhookIdParameter } from './item.ts';

export const rotateWebhookSecret: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/webhooks/{id}/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description:
      'Takes a key with the permission `admin`. For 24 hours `webhook-signature` holds a signature of each of the two secrets, and `Svc-Signature`, which has room for one, is made with the previous.',
    security: keyRequired,
    request: { params: z.object({ id: webhookIdParameter }) },
    responses: { 200: { description: 'The new secret.', content: jsonContent(rotatedSecretAnswerSchema) }, ...problems(404, 413) },
  },
  action: 'administer',
  handle: async ({ context, principal, ports }) => {
    const found = await ports.webhooks.rotateSecret(principal.organizationId, webhookIdOf(context));
    const { hmacKey, secret, previousEndsAt } = foundWebhook(found);
    return sendData(context, { hmac_key: hmacKey, secret, previous_signs_until: isoTime(previousEndsAt) });
  },
};
