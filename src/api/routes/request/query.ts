import { errorOfFault } from '../../../contract/fault.ts';
import { readBody } from '../../../contract/read-body.ts';
import { type RequestItem, requestQueryAnswerSchema, requestQuerySchema } from '../../../contract/requests.ts';
import type { Principal } from '../../../model/principal.ts';
import { planRequests } from '../../../query/plan.ts';
import { readJson } from '../../json-body.ts';
import { type Endpoint, type EndpointCall, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readRequestItems } from '../../request-items.ts';

const unwrappedHint =
  'the filter holds a "properties" leaf outside "request_response_rmt", which matches nothing here; write {"request_response_rmt": {"properties": {...}}}';

/** `POST /v1/request/query-clickhouse` */
export const queryRequests: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/request/query-clickhouse',
    operationId: 'queryRequests',
    summary: 'Query requests',
    description:
      'Requests that match a filter, newest first unless sorted otherwise. The header `svc-hint` explains a surprising empty answer.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(requestQuerySchema) } },
    responses: { 200: { description: 'The page.', content: jsonContent(requestQueryAnswerSchema) }, ...problems(400, 413, 415, 422, 504) },
  },
  action: 'read',
  handle: answerQuery,
};

/** Body → plan → statements → rows → items. */
async function answerQuery({ context, principal, ports }: EndpointCall): Promise<Response> {
  const plan = planOf(principal, await readJson(context));
  if (plan.unwrappedProperties) {
    context.header('svc-hint', unwrappedHint);
    return context.json({ data: [], error: null });
  }
  const data: RequestItem[] = await readRequestItems(plan, ports.run, { bodies: true, signal: context.req.raw.signal });
  return context.json({ data, error: null });
}

function planOf(principal: Principal, body: unknown) {
  const query = readBody(requestQuerySchema, body);
  if (!query.ok) throw errorOfFault(query.fault);
  const plan = planRequests(principal.organizationId, query.value);
  if (!plan.ok) throw errorOfFault(plan.fault);
  return plan.value;
}
