import { requestQueryAnswerSchema, requestQuerySchema } from '../../../contract/requests/query.ts';
import { legacyDialect } from '../../../query/requests/query.ts';
import { deprecationHeaders, type Endpoint, type RequestContext, jsonContent, keyRequired, pageHeaders, problems } from '../../endpoint.ts';
import { handlePage } from '../../page/request-page.ts';

/** 21 November 2026, the day on which the path was added, deprecated from the first. A Unix time (RFC 9745). */
const deprecatedSince = '@1795219200';
const successor = '</v1/request/query-clickhouse>; rel="successor-version"';

export const legacyQueryRequests: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/request/query',
    operationId: 'legacyQueryRequests',
    summary: 'Query requests, as older clients do',
    description:
      'As `/v1/request/query-clickhouse`, but a `properties` leaf outside `request_response_rmt` filters like one inside it, and `isScored: false` keeps the requests without score and feedback.',
    deprecated: true,
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(requestQuerySchema) } },
    responses: {
      200: { description: 'The page.', headers: { ...pageHeaders, ...deprecationHeaders }, content: jsonContent(requestQueryAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerLegacy,
};

async function answerLegacy(call: RequestContext): Promise<Response> {
  call.context.header('Deprecation', deprecatedSince);
  call.context.header('Link', successor);
  return handlePage(call, legacyDialect);
}
