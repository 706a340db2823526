import { z } from '@hono/zod-openapi';
import { alertAnswerSchema } from '../../../contract/events/alert-answers.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { alertIdOf, alertIdParameter, found } from './alert-id.ts';
import { alertItem } from './item.ts';

export const getAlert: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/alerts/{id}',
    operationId: 'getAlert',
    summary: 'Read a rule that alerts',
    security: keyRequired,
    request: { params: z.object({ id: alertIdParameter }) },
    responses: { 200: { description: 'The rule, with its state.', content: jsonContent(alertAnswerSchema) }, ...problems(404) },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) =>
    sendData(context, alertItem(found(await ports.alerts.find(principal.organizationId, alertIdOf(context))), principal)),
};
