import { unwrap } from '../../../contract/fault.ts';
import { requestCountSchema, requestQuerySchema } from '../../../contract/requests/query.ts';
import { hintQuestions, longBodiesQuestion } from '../../../query/requests/hints.ts';
import { planRequests, requestDialect } from '../../../query/requests/query.ts';
import { type Endpoint, type RequestContext, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendJson } from '../../http/json-answer.ts';
import { countOf, explain, setHint } from '../../page/items.ts';
import { readInput } from '../../http/read-input.ts';

export const countRequests: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/request/count/query',
    operationId: 'countRequests',
    summary: 'Count requests',
    description:
      'How many requests match a filter. `offset`, `limit`, `sort` and `cursor` are read and change nothing. The header `svc-hint` explains a surprising 0.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(requestQuerySchema) } },
    responses: {
      200: { description: 'The number.', headers: hintHeader, content: jsonContent(requestCountSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerCount,
};

async function answerCount(call: RequestContext): Promise<Response> {
  const { context, principal } = call;
  const body = await readInput(context, requestQuerySchema);
  const planned = unwrap(planRequests(principal.organizationId, body, requestDialect));
  if (planned.kind === 'page') {
    const data = await countOf(call, planned.plan);
    const long = longBodiesQuestion(planned.plan);
    if (long !== undefined) await explain(call, [long]);
    // The offset has no effect on a count, so it explains nothing.
    if (data === 0) await explain(call, hintQuestions({ ...planned.plan, offset: 0 }, call.ports.knownNames));
    return sendJson(context, { data, error: null });
  }
  setHint(context, planned.hint);
  return sendJson(context, { data: 0, error: null });
}
