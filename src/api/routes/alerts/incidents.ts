import { z } from '@hono/zod-openapi';
import { alertIncidentsAnswerSchema } from '../../../contract/events/alert-answers.ts';
import { alertPageSchema } from '../../../contract/events/alert-pages.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readQueryParameters } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { alertIdOf, alertIdParameter, found } from './alert-id.ts';

export const listAlertIncidents: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/alerts/{id}/incidents',
    operationId: 'listAlertIncidents',
    summary: 'Incidents of a rule',
    description: 'Newest first; those that ended are kept for 30 days.',
    security: keyRequired,
    request: { params: z.object({ id: alertIdParameter }), query: alertPageSchema },
    responses: { 200: { description: 'The page.', content: jsonContent(alertIncidentsAnswerSchema) }, ...problems(404, 422) },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) => {
    const page = readQueryParameters(context, alertPageSchema);
    return sendData(context, found(await ports.alerts.incidents(principal.organizationId, alertIdOf(context), page)));
  },
};
