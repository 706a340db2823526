import { requestIdsSchema, requestQueryAnswerSchema } from '../../../contract/requests/query.ts';
import { type RequestId, timeOfUuid } from '../../../model/ids.ts';
import type { RequestRow } from '../../../query/requests/columns.ts';
import { requestsByIdStatement } from '../../../query/requests/select.ts';
import { type Endpoint, type RequestContext, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { setHint } from '../../page/headers.ts';
import { writtenItems } from '../../page/items.ts';
import { readInput } from '../../http/read-input.ts';

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

async function answerIds(call: RequestContext): Promise<Response> {
  const { context, principal, ports, memory } = call;
  const { requestIds, includeBodies } = await readInput(context, requestIdsSchema);
  const ids = [...new Set(requestIds)] as RequestId[];
  const found = new Map<string, RequestRow>();
  await memory.takeRows(ids.length);
  // Most identifiers contain their time, which locates the row.
  const [timed, others] = [ids.filter((id) => timeOfUuid(id) !== undefined), ids.filter((id) => timeOfUuid(id) === undefined)];
  await find(call, requestsByIdStatement(principal.organizationId, timed, 'own time'), found);
  await find(call, requestsByIdStatement(principal.organizationId, others, 'anywhere'), found);
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) {
    const [inFlight] = await Promise.allSettled([ports.inFlightOf(principal.organizationId, missing)]);
    // Some may have been stored meanwhile.
    await find(call, requestsByIdStatement(principal.organizationId, missing, 'anywhere'), found);
    const nowhere = missing.filter((id) => !found.has(id));
    if (nowhere.length > 0 && inFlight.status === 'rejected') throw inFlight.reason;
    const count = inFlight.status === 'rejected' ? 0 : nowhere.filter((id) => inFlight.value.includes(id)).length;
    if (count > 0) setHint(context, inFlightHint(count));
  }
  const rows = ids.flatMap((id) => found.get(id) ?? []);
  return sendData(context, await writtenItems(call, rows, includeBodies !== false));
}

async function find(
  { context, ports }: RequestContext,
  statement: ReturnType<typeof requestsByIdStatement>,
  found: Map<string, RequestRow>,
): Promise<void> {
  if (statement === undefined) return;
  for (const row of await ports.run<RequestRow>(statement, context.req.raw.signal)) found.set(row.id, row);
}

function inFlightHint(count: number): string {
  const [are, their] = count === 1 ? ['is', 'its'] : ['are', 'their'];
  return `${count} of the identifiers asked for ${are} on ${their} way to the store; ask again in a moment`;
}
