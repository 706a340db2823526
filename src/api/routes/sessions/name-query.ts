import { unwrap } from '../../../contract/fault.ts';
import { sessionNameQuerySchema, sessionNamesSchema } from '../../../contract/sessions/query.ts';
import { longSessionBodiesProbe, noSessionsProbes } from '../../../query/sessions/hints.ts';
import { sessionNameItem } from '../../../query/sessions/item.ts';
import { type SessionNameRow, sessionNamesStatement } from '../../../query/sessions/names.ts';
import { planSessionNames } from '../../../query/sessions/query.ts';
import { type Endpoint, type RequestContext, hintHeader, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { explain } from '../../page/headers.ts';
import { readInput } from '../../http/read-input.ts';

export const querySessionNames: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/session/name/query',
    operationId: 'querySessionNames',
    summary: 'Query session names',
    description:
      'Names of the sessions that match, at most 50, the one used last first. `pSize` and `useInterquartile` are read and change nothing here.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(sessionNameQuerySchema) } },
    responses: {
      200: { description: 'The names.', headers: hintHeader, content: jsonContent(sessionNamesSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerSessionNames,
};

async function answerSessionNames(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const body = await readInput(context, sessionNameQuerySchema);
  const plan = unwrap(planSessionNames(principal.organizationId, body));
  const rows = await ports.run<SessionNameRow>(sessionNamesStatement(plan), context.req.raw.signal);
  await explain(call, longSessionBodiesProbe(plan), rows.length === 0 ? noSessionsProbes(plan, ports.knownNames) : []);
  return sendData(
    context,
    rows.map((row) => sessionNameItem(row, plan.offsetMinutes)),
  );
}
