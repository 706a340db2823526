import { unwrap } from '../../../contract/fault.ts';
import { sessionQueryAnswerSchema, sessionQuerySchema } from '../../../contract/sessions/query.ts';
import { cursorBehindSession } from '../../../query/sessions/cursor.ts';
import { longSessionBodiesProbe, sessionHintProbes } from '../../../query/sessions/hints.ts';
import { sessionItem } from '../../../query/sessions/item.ts';
import { sessionCountStatement, sessionPageStatement, type SessionTotalsRow } from '../../../query/sessions/list.ts';
import { planSessions } from '../../../query/sessions/query.ts';
import type { SessionRow } from '../../../query/sessions/columns.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, pageHeaders, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { setPageHeaders } from '../../page/headers.ts';
import { onlyRow } from '../../page/only-row.ts';
import { readInput } from '../../http/read-input.ts';

export const querySessions: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/session/query',
    operationId: 'querySessions',
    summary: 'Query sessions',
    description:
      'Sessions with a request in the range that matches the filter, in the order of `sort`; without it the latest first by the arrival of their first such request. Conditions on requests decide request by request, those on sessions over all requests of the session in the range; totals, times and users are over the requests that match, name and properties over all in the range.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(sessionQuerySchema) } },
    responses: {
      200: { description: 'The page.', headers: pageHeaders, content: jsonContent(sessionQueryAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerSessions,
};

/** Body → plan → statement → rows → headers of the page → items. */
async function answerSessions(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const { signal } = context.req.raw;
  const body = await readInput(context, sessionQuerySchema);
  const plan = unwrap(planSessions(principal.organizationId, body));
  await call.memory.takeRows(plan.limit);
  const rows = plan.limit === 0 ? [] : await ports.run<SessionRow>(sessionPageStatement(plan), signal);
  await setPageHeaders(call, {
    plan,
    rows,
    count: async () =>
      Number(onlyRow(await ports.run<Pick<SessionTotalsRow, 'session_count'>>(sessionCountStatement(plan), signal)).session_count),
    longBodies: longSessionBodiesProbe(plan),
    whyEmpty: () => sessionHintProbes(plan, ports.knownNames),
    cursorBehind: (row) => cursorBehindSession(plan, row),
  });
  return sendData(
    context,
    rows.map((row) => sessionItem(row, plan.offsetMinutes)),
  );
}
