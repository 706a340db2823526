import { webhooksAnswerSchema } from '../../../contract/events/webhooks.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { webhookItem } from './item.ts';

export const listWebhooks: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/webhooks',
    operationId: 'listWebhooks',
    summary: 'List the webhooks of the organisation',
    description:
      'The oldest first, each with how its deliveries go. No secret is shown, and of a `destination` only keys with the permission `admin` see path and query.',
    security: keyRequired,
    responses: { 200: { description: 'The webhooks.', content: jsonContent(webhooksAnswerSchema) }, ...problems() },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) =>
    sendData(
      context,
      (await ports.webhooks.list(principal.organizationId)).map((webhook) => webhookItem(webhook, principal)),
    ),
};
