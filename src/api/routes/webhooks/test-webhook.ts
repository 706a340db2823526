import { z } from '@hono/zod-openapi';
import { testAnswerSchema } from '../../../contract/events/deliveries.ts';
import type { Principal } from '../../../model/principal.ts';
import type { LoggedAttempts } from '../../../outbox/log/deliveries.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { deliveryDetailItem, foundWebhook, webhookIdOf, webhookIdParameter } from './item.ts';

export const testWebhook: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/webhooks/{id}/test',
    operationId: 'testWebhook',
    summary: 'Send a test event to a webhook',
    description:
      'Takes a key with the permission `admin`. Posts an event `webhook.test` once, also to a disabled webhook, and answers when the destination has answered, at the latest after 20 s.',
    security: keyRequired,
    request: { params: z.object({ id: webhookIdParameter }) },
    responses: { 200: { description: 'How it went.', content: jsonContent(testAnswerSchema) }, ...problems(404, 413) },
  },
  action: 'administer',
  handle: async ({ context, principal, ports }) => {
    const tested = foundWebhook(await ports.webhooks.test(principal.organizationId, webhookIdOf(context)));
    return sendData(context, outcomeOf(tested, principal));
  },
};

function outcomeOf(tested: LoggedAttempts, principal: Principal): object {
  const { state, last_reason, last_status } = tested.delivery;
  const success = state === 'delivered';
  const message = success ? `The destination answered ${String(last_status)}.` : (last_reason ?? 'The event was not delivered.');
  return { success, message, delivery: deliveryDetailItem(tested, principal) };
}
