import { unwrap } from '../../../contract/fault.ts';
import { sessionCountSchema, sessionQuerySchema } from '../../../contract/sessions/query.ts';
import { longSessionBodiesProbe, noSessionsProbes } from '../../../query/sessions/hints.ts';
import { sessionTotals } from '../../../query/sessions/item.ts';
import { sessionTotalsStatement, type SessionTotalsRow } from '../../../query/sessions/list.ts';
import { planSessions } from '../../../query/sessions/query.ts';
import { onlyRow } from '../../page/only-row.ts';
import { type Endpoint, type RequestContext, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { explain } from '../../page/headers.ts';
import { readInput } from '../../http/read-input.ts';

export const countSessions: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/session/count',
    operationId: 'countSessions',
    summary: 'Count sessions',
    description: 'How many sessions a query matches, with their totals. `offset`, `limit` and `cursor` are read and change nothing.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(sessionQuerySchema) } },
    responses: {
      200: { description: 'The number and the totals.', headers: hintHeader, content: jsonContent(sessionCountSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerSessionCount,
};

async function answerSessionCount(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const body = await readInput(context, sessionQuerySchema);
  const plan = unwrap(planSessions(principal.organizationId, body));
  const row = onlyRow(await ports.run<SessionTotalsRow>(sessionTotalsStatement(plan), context.req.raw.signal));
  await explain(call, longSessionBodiesProbe(plan), Number(row.session_count) === 0 ? noSessionsProbes(plan, ports.knownNames) : []);
  return sendData(context, sessionTotals(row));
}
