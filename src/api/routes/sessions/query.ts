import { unwrap } from '../../../contract/fault.ts';
import { sessionQueryAnswerSchema, sessionQuerySchema } from '../../../contract/sessions/query.ts';
import { cursorBehindSession } from '../../../query/sessions/cursor.ts';
import { longSessionBodiesQuestion, sessionHintQuestions } from '../../../query/sessions/hints.ts';
import { sessionItem } from '../../../query/sessions/item.ts';
import { sessionCountStatement, sessionPageStatement, type SessionTotalsRow } from '../../../query/sessions/list.ts';
import { planSessions, type SessionsPlan } from '../../../query/sessions/query.ts';
import type { SessionRow } from '../../../query/sessions/columns.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, pageHeaders, problems } from '../../endpoint.ts';
import { sendJson } from '../../http/json-answer.ts';
import { explain, wantsCount } from '../../page/items.ts';
import { readInput } from '../../http/read-input.ts';

export const querySessions: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/session/query',
    operationId: 'querySessions',
    summary: 'Query sessions',
    description:
      'Sessions with a request in the range that matches the filter, the latest first by the arrival of their first such request. Conditions on requests decide request by request, those on sessions over all requests of the session in the range; totals, times and users are over the requests that match, name and properties over all in the range.',
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

/** Body → plan → statement → rows → items, with the headers of the page. */
async function answerSessions(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const { signal } = context.req.raw;
  const body = await readInput(context, sessionQuerySchema);
  const plan = unwrap(planSessions(principal.organizationId, body));
  await call.memory.takeRows(plan.limit);
  const rows = plan.limit === 0 ? [] : await ports.run<SessionRow>(sessionPageStatement(plan), signal);
  if (wantsCount(context)) {
    const [total] = await ports.run<Pick<SessionTotalsRow, 'session_count'>>(sessionCountStatement(plan), signal);
    context.header('svc-total-count', String(total?.session_count ?? 0));
  }
  const long = longSessionBodiesQuestion(plan);
  if (long !== undefined) await explain(call, [long]);
  if (rows.length === 0 && plan.limit > 0 && plan.after === undefined) await explain(call, sessionHintQuestions(plan, ports.knownNames));
  const cursor = nextCursor(plan, rows);
  if (cursor !== undefined) context.header('svc-next-cursor', cursor);
  return sendJson(context, { data: rows.map((row) => sessionItem(row, plan.offsetMinutes)), error: null });
}

/** A full page may have a next one. */
function nextCursor(plan: SessionsPlan, rows: readonly SessionRow[]): string | undefined {
  const last = rows.at(-1);
  if (last === undefined || rows.length < plan.limit) return undefined;
  return cursorBehindSession(plan, { createdMs: Number(last.first_ms), sessionId: last.session_id });
}
