import { z } from '@hono/zod-openapi';
import { alertStatesAnswerSchema } from '../../../contract/events/alert-answers.ts';
import { alertPageSchema } from '../../../contract/events/alert-pages.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readQueryParameters } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { alertIdOf, alertIdParameter, found } from './alert-id.ts';

export const listAlertStates: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/alerts/{id}/states',
    operationId: 'listAlertStates',
    summary: 'State of each group of a rule',
    description: 'The gravest first.',
    security: keyRequired,
    request: { params: z.object({ id: alertIdParameter }), query: alertPageSchema },
    responses: { 200: { description: 'The page.', content: jsonContent(alertStatesAnswerSchema) }, ...problems(404, 422) },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) => {
    const page = readQueryParameters(context, alertPageSchema);
    return sendData(context, found(ports.alerts.states(principal.organizationId, alertIdOf(context), page)));
  },
};
