import { accepted } from '../../../contract/fault.ts';
import { readBody } from '../../../contract/read-body.ts';
import { requestQueryAnswerSchema, requestQuerySchema } from '../../../contract/requests.ts';
import { planRequests } from '../../../query/plan.ts';
import { requestItems } from '../../../query/request-item.ts';
import type { BodiesRow, RequestRow } from '../../../query/request-row.ts';
import { bodiesStatements, pageStatements } from '../../../query/requests.ts';
import { runUntilRows } from '../../../store/run.ts';
import { type Endpoint, type EndpointCall, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readJson } from '../../json-body.ts';

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
    responses: {
      200: { description: 'The page.', headers: hintHeader, content: jsonContent(requestQueryAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerQuery,
};

/** Body → plan → statements → rows → items. */
async function answerQuery({ context, principal, ports }: EndpointCall): Promise<Response> {
  const { signal } = context.req.raw;
  const tenant = principal.organizationId;
  const body = accepted(readBody(requestQuerySchema, await readJson(context)));
  const planned = accepted(planRequests(tenant, body));
  if (planned.kind === 'nothing') {
    context.header('svc-hint', planned.hint);
    return context.json({ data: [], error: null });
  }
  const rows = await runUntilRows<RequestRow>(ports.run, pageStatements(planned.plan), signal);
  const bodies = await runUntilRows<BodiesRow>(ports.run, bodiesStatements(tenant, rows), signal);
  return context.json({ data: requestItems(rows, bodies), error: null });
}
