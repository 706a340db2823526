import { unwrap } from '../../../contract/fault.ts';
import { requestCountSchema, requestQuerySchema } from '../../../contract/requests/query.ts';
import { hintProbes, longBodiesProbe } from '../../../query/requests/hints.ts';
import { planRequests, requestDialect } from '../../../query/requests/query.ts';
import { type Endpoint, type RequestContext, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { explain, setHint } from '../../page/headers.ts';
import { countOf } from '../../page/request-page.ts';
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
  const { context, principal, ports } = call;
  const body = await readInput(context, requestQuerySchema);
  const planned = unwrap(planRequests(principal.organizationId, body, requestDialect));
  if (planned.kind === 'nothing') {
    setHint(context, planned.hint);
    return sendData(context, 0);
  }
  // The offset has no effect on a count, so it explains nothing.
  const plan = { ...planned.plan, offset: 0 };
  const data = await countOf(call, plan);
  await explain(call, longBodiesProbe(plan), data === 0 ? hintProbes(plan, ports.knownNames) : []);
  return sendData(context, data);
}
