import { requestQueryAnswerSchema, requestQuerySchema } from '../../../contract/requests/query.ts';
import { requestDialect } from '../../../query/requests/query.ts';
import { type Endpoint, jsonContent, keyRequired, pageHeaders, problems } from '../../endpoint.ts';
import { handlePage } from '../../page/request-page.ts';

export const queryRequests: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/request/query-clickhouse',
    operationId: 'queryRequests',
    summary: 'Query requests',
    description:
      'Requests that match a filter, newest first unless sorted otherwise. The header `svc-hint` explains a surprising empty answer; with the request header `Svc-Include-Count: true` the answer carries `svc-total-count`.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(requestQuerySchema) } },
    responses: {
      200: { description: 'The page.', headers: pageHeaders, content: jsonContent(requestQueryAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: (call) => handlePage(call, requestDialect),
};
