import { requestIdsSchema, requestQueryAnswerSchema } from '../../../contract/requests.ts';
import type { RequestId } from '../../../model/ids.ts';
import type { RequestRow } from '../../../query/request-row.ts';
import { requestsByIdStatement } from '../../../query/requests.ts';
import { type Endpoint, type EndpointCall, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { answerJson } from '../../json-answer.ts';
import { writtenItems, setHint } from './page.ts';
import { readInput } from '../../read-input.ts';

/** `POST /v1/request/query-ids` */
export const queryRequestsById: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/request/query-ids',
    operationId: 'queryRequestsById',
    summary: 'Get several requests',
    description:
      'The requests with these identifiers in the order of the list; what is not on record is left out. The header `svc-hint` says how many of these are still on their way to the store.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(requestIdsSchema) } },
    responses: {
      200: { description: 'The requests.', headers: hintHeader, content: jsonContent(requestQueryAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerIds,
};

async function answerIds(call: EndpointCall): Promise<Response> {
  const { context, principal, ports, memory } = call;
  const { requestIds } = await readInput(context, requestIdsSchema);
  const ids = [...new Set(requestIds)] as RequestId[];
  const found = new Map<string, RequestRow>();
  await memory.takeRows(ids.length);
  await find(call, ids, found);
  const missing = ids.filter((id) => !found.has(id));
  const travelling = missing.length === 0 ? [] : await ports.travellingOf(principal.organizationId, missing);
  // What is neither stored nor on its way may have been stored between the two questions.
  const nowhere = missing.filter((id) => !travelling.includes(id));
  await find(call, nowhere, found);
  if (travelling.length > 0) setHint(context, travellingHint(travelling.length));
  const rows = ids.flatMap((id) => found.get(id) ?? []);
  return answerJson(context, { data: await writtenItems(call, rows, true), error: null });
}

/** Most identifiers hold their own time, which says where to look; only those that are not found there are looked for everywhere. */
async function find({ context, principal, ports }: EndpointCall, ids: readonly RequestId[], found: Map<string, RequestRow>): Promise<void> {
  for (const place of ['own time', 'anywhere'] as const) {
    const missing = ids.filter((id) => !found.has(id));
    const statement = requestsByIdStatement(principal.organizationId, missing, place);
    if (statement === undefined) continue;
    for (const row of await ports.run<RequestRow>(statement, context.req.raw.signal)) found.set(row.id, row);
  }
}

/** What is only not there yet is not to be taken for what never was. */
function travellingHint(count: number): string {
  const [are, their] = count === 1 ? ['is', 'its'] : ['are', 'their'];
  return `${count} of the identifiers asked for ${are} on ${their} way to the store; ask again in a moment`;
}
