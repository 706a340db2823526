import { unwrap } from '../../contract/fault.ts';
import type { RequestItem } from '../../contract/requests/item.ts';
import type { RequestQuery } from '../../contract/requests/query.ts';
import type { RawJson } from '../../model/json/raw.ts';
import { cursorBehind } from '../../query/requests/cursor.ts';
import { hintProbes, longBodiesProbe } from '../../query/hints/hints.ts';
import { planRequests, type RequestsDialect, type RequestsPlan } from '../../query/requests/query.ts';
import { type CountRow, countStatement } from '../../query/requests/select.ts';
import { readRequestPage } from '../../reading/request-page.ts';
import type { RequestContext } from '../endpoint/endpoint.ts';
import { setHint, setPageHeaders, wantsCount } from './headers.ts';
import { writtenItems } from './items.ts';
import { rowsRunner } from './rows-runner.ts';

/** A page of requests: plan → statements → rows → headers of the page → items. */
export async function requestPage(
  call: RequestContext,
  body: RequestQuery,
  dialect: RequestsDialect,
): Promise<readonly RawJson<RequestItem>[]> {
  const { context, principal, ports } = call;
  const planned = unwrap(planRequests(principal.organizationId, body, dialect));
  if (planned.kind === 'nothing') {
    if (wantsCount(context)) context.header('svc-total-count', '0');
    setHint(context, planned.hint);
    return [];
  }
  const { plan } = planned;
  const run = await rowsRunner(call, plan.limit);
  const rows = await readRequestPage(plan, { run, signal: context.req.raw.signal, now: ports.now() });
  await setPageHeaders(call, {
    plan,
    rows,
    count: () => countOf(call, plan),
    longBodies: longBodiesProbe(plan),
    whyEmpty: () => hintProbes(plan, ports.knownNames),
    cursorBehind: (last) => cursorBehind(plan, last),
  });
  return writtenItems(call, rows, body.includeBodies !== false);
}

/** How many requests a plan matches, its page aside. */
export async function countOf({ context, ports }: RequestContext, plan: RequestsPlan): Promise<number> {
  const [row] = await ports.run<CountRow>(countStatement(plan), context.req.raw.signal);
  return Number(row?.total ?? 0);
}
