import { unwrap } from '../../../contract/fault.ts';
import { sessionMetricsSchema, sessionNameQuerySchema } from '../../../contract/sessions/query.ts';
import { longSessionBodiesProbe, noSessionsProbes } from '../../../query/sessions/hints.ts';
import { sessionMetrics } from '../../../query/sessions/item.ts';
import { planSessionNames } from '../../../query/sessions/query.ts';
import { type SessionDistributionRow, sessionDistributionStatement } from '../../../query/sessions/distribution.ts';
import { type Endpoint, type RequestContext, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { onlyRow } from '../../page/only-row.ts';
import { explain } from '../../page/headers.ts';
import { readInput } from '../../http/read-input.ts';

export const querySessionMetrics: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/session/metrics/query',
    operationId: 'querySessionMetrics',
    summary: 'Query session metrics',
    description:
      'How the requests, the duration and the cost of the sessions that match are spread, with the averages. A histogram leaves out a long tail; an average does not.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(sessionNameQuerySchema) } },
    responses: {
      200: { description: 'Histograms and averages.', headers: hintHeader, content: jsonContent(sessionMetricsSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerSessionMetrics,
};

async function answerSessionMetrics(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const body = await readInput(context, sessionNameQuerySchema);
  const plan = unwrap(planSessionNames(principal.organizationId, body));
  const row = onlyRow(await ports.run<SessionDistributionRow>(sessionDistributionStatement(plan, plan.tail), context.req.raw.signal));
  await explain(call, longSessionBodiesProbe(plan), Number(row.session_count) === 0 ? noSessionsProbes(plan, ports.knownNames) : []);
  return sendData(context, sessionMetrics(row));
}
