import { filterExample } from '../../contract/filter.ts';
import { unwrap } from '../../contract/fault.ts';
import {
  requestCountSchema,
  requestIdsSchema,
  type RequestQuery,
  requestQueryAnswerSchema,
  requestQuerySchema,
} from '../../contract/requests/query.ts';
import { type RequestId, timeOfUuid } from '../../model/ids.ts';
import type { RequestRow } from '../../query/requests/columns.ts';
import { hintProbes, longBodiesProbe } from '../../query/hints/hints.ts';
import { legacyDialect, planRequests, requestDialect } from '../../query/requests/query.ts';
import { requestsByIdStatement } from '../../query/requests/select.ts';
import type { AuditedPart } from '../endpoint/audited.ts';
import { endpoint, type RequestContext } from '../endpoint/endpoint.ts';
import { deprecationHeaders, hintHeader, pageHeaders } from '../http/declared-responses.ts';
import type { RunStatement } from '../../store/read/run-statement.ts';
import { explain, setHint } from '../page/headers.ts';
import { writtenItems } from '../page/items.ts';
import { rowsRunner } from '../page/rows-runner.ts';
import { countOf, requestPage } from '../page/request-page.ts';

const examplePage = { filter: filterExample, sort: { created_at: 'desc' }, limit: 100 } as const;

/** 21 November 2026, the day on which the path was added, deprecated from the first. A Unix time (RFC 9745). */
const deprecatedSince = '@1795219200';
const successor = '</v1/request/query-clickhouse>; rel="successor-version"';

export const requests = [
  endpoint({
    at: 'POST /v1/request/query-clickhouse',
    id: 'queryRequests',
    summary: 'Query requests',
    text: 'Requests that match a filter, newest first unless sorted otherwise. The header `svc-hint` explains a surprising empty answer; with the request header `Svc-Include-Count: true` the answer carries `svc-total-count`.',
    action: 'read',
    body: requestQuerySchema,
    example: examplePage,
    answer: requestQueryAnswerSchema,
    answered: 'The page.',
    headers: pageHeaders,
    errors: [400, 413, 415, 422, 504],
    readsBodies: ({ body }) => pageOf(body),
    run: (call) => requestPage(call, call.body, requestDialect),
  }),
  endpoint({
    at: 'POST /v1/request/query',
    id: 'legacyQueryRequests',
    summary: 'Query requests, as older clients do',
    text: 'As `/v1/request/query-clickhouse`, but a `properties` leaf outside `request_response_rmt` filters like one inside it, and `isScored: false` keeps the requests without score and feedback.',
    deprecated: { Deprecation: deprecatedSince, Link: successor },
    action: 'read',
    body: requestQuerySchema,
    example: examplePage,
    answer: requestQueryAnswerSchema,
    answered: 'The page.',
    headers: { ...pageHeaders, ...deprecationHeaders },
    errors: [400, 413, 415, 422, 504],
    readsBodies: ({ body }) => pageOf(body),
    run: (call) => requestPage(call, call.body, legacyDialect),
  }),
  endpoint({
    at: 'POST /v1/request/count/query',
    id: 'countRequests',
    summary: 'Count requests',
    text: 'How many requests match a filter. `offset`, `limit`, `sort` and `cursor` are read and change nothing. The header `svc-hint` explains a surprising 0.',
    action: 'read',
    body: requestQuerySchema,
    example: { filter: filterExample },
    answer: requestCountSchema,
    answered: 'The number.',
    headers: hintHeader,
    errors: [400, 413, 415, 422, 504],
    run: async (call) => {
      const { context, tenant, ports, body } = call;
      const planned = unwrap(planRequests(tenant, body, requestDialect));
      if (planned.kind === 'nothing') {
        setHint(context, planned.hint);
        return 0;
      }
      // The offset has no effect on a count, so it explains nothing.
      const plan = { ...planned.plan, offset: 0 };
      const count = await countOf(call, plan);
      await explain(call, longBodiesProbe(plan), count === 0 ? hintProbes(plan, ports.knownNames) : []);
      return count;
    },
  }),
  endpoint({
    at: 'POST /v1/request/query-ids',
    id: 'queryRequestsById',
    summary: 'Get several requests',
    text: 'The requests with these identifiers in the order of the list; what is not on record is left out. The header `svc-hint` says how many of these are still on their way to the store.',
    action: 'read',
    body: requestIdsSchema,
    example: { requestIds: ['0193b3a4-0000-7000-8000-000000000001'] },
    answer: requestQueryAnswerSchema,
    answered: 'The requests.',
    headers: hintHeader,
    errors: [400, 413, 415, 422, 504],
    readsBodies: ({ body: { requestIds, includeBodies } }) => (includeBodies === false ? undefined : { filter: { requestIds } }),
    run: async (call) => {
      const { requestIds, includeBodies } = call.body;
      const ids = [...new Set(requestIds)] as RequestId[];
      const found = await foundById(call, ids, await rowsRunner(call, ids.length));
      const rows = ids.flatMap((id) => found.get(id) ?? []);
      return writtenItems(call, rows, includeBodies !== false);
    },
  }),
];

/** What the audit log says of a page with bodies. */
function pageOf({ includeBodies, filter, offset, limit, cursor }: RequestQuery): AuditedPart | undefined {
  return includeBodies === false ? undefined : { filter: { filter, offset, limit, cursor } };
}

/** The rows of the requests that are on record; a hint says how many of the others are on their way. */
async function foundById(call: RequestContext, ids: readonly RequestId[], run: RunStatement): Promise<ReadonlyMap<string, RequestRow>> {
  const { context, principal, ports } = call;
  const found = new Map<string, RequestRow>();
  const { signal } = context.req.raw;
  const find = async (statement: ReturnType<typeof requestsByIdStatement>): Promise<void> => {
    if (statement === undefined) return;
    for (const row of await run<RequestRow>(statement, signal)) found.set(row.id, row);
  };
  // Most identifiers contain their time, which locates the row.
  const [timed, others] = [ids.filter((id) => timeOfUuid(id) !== undefined), ids.filter((id) => timeOfUuid(id) === undefined)];
  await find(requestsByIdStatement(principal.organizationId, timed, 'own time'));
  await find(requestsByIdStatement(principal.organizationId, others, 'anywhere'));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  const [inFlight] = await Promise.allSettled([ports.inFlightOf(principal.organizationId, missing)]);
  // Some may have been stored meanwhile.
  await find(requestsByIdStatement(principal.organizationId, missing, 'anywhere'));
  const nowhere = missing.filter((id) => !found.has(id));
  if (nowhere.length > 0 && inFlight.status === 'rejected') throw inFlight.reason;
  const count = inFlight.status === 'rejected' ? 0 : nowhere.filter((id) => inFlight.value.includes(id)).length;
  if (count > 0) setHint(context, inFlightHint(count));
  return found;
}

function inFlightHint(count: number): string {
  const [are, their] = count === 1 ? ['is', 'its'] : ['are', 'their'];
  return `${count} of the identifiers asked for ${are} on ${their} way to the store; ask again in a moment`;
}
