import { alertsAnswerSchema } from '../../../contract/events/alert-answers.ts';
import { alertPageSchema } from '../../../contract/events/alert-pages.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readQueryParameters } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { alertItem } from './item.ts';

export const listAlerts: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/alerts',
    operationId: 'listAlerts',
    summary: 'List the rules that alert',
    description: 'Newest first, each with its state.',
    security: keyRequired,
    request: { query: alertPageSchema },
    responses: { 200: { description: 'The page.', content: jsonContent(alertsAnswerSchema) }, ...problems(422) },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) => {
    const alerts = await ports.alerts.list(principal.organizationId, readQueryParameters(context, alertPageSchema));
    return sendData(
      context,
      alerts.map((alert) => alertItem(alert, principal)),
    );
  },
};
