import { z } from '@hono/zod-openapi';
import { alertDeliveriesAnswerSchema } from '../../../contract/events/deliveries.ts';
import { alertPageSchema } from '../../../contract/events/alert-pages.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readQueryParameters } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { alertIdOf, alertIdParameter, found } from './alert-id.ts';

export const listAlertDeliveries: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/alerts/{id}/deliveries',
    operationId: 'listAlertDeliveries',
    summary: 'Messages to the channels of a rule',
    description: 'Newest first, each with how its last attempt ended. What goes to a stored webhook is in the log of that webhook.',
    security: keyRequired,
    request: { params: z.object({ id: alertIdParameter }), query: alertPageSchema },
    responses: { 200: { description: 'The page.', content: jsonContent(alertDeliveriesAnswerSchema) }, ...problems(404, 422) },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) => {
    const page = readQueryParameters(context, alertPageSchema);
    return sendData(context, found(await ports.alerts.deliveries(principal.organizationId, alertIdOf(context), page)));
  },
};
