import { viewListSchema, viewsAnswerSchema } from '../../../contract/dashboard/views.ts';
import { type Endpoint, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readQueryParameters } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { itemOf } from './item.ts';

export const listViews: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/views',
    operationId: 'listViews',
    summary: 'List the saved views',
    description: 'States of pages of the dashboard under a name, which everybody in the organisation sees.',
    security: keyRequired,
    request: { query: viewListSchema },
    responses: { 200: { description: 'The views.', content: jsonContent(viewsAnswerSchema) }, ...problems(422) },
  },
  action: 'read',
  handle: async ({ context, principal, ports }) => {
    const { page } = readQueryParameters(context, viewListSchema);
    return sendData(context, (await ports.views.list(principal.organizationId, page)).map(itemOf));
  },
};
