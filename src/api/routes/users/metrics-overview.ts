import { unwrap } from '../../../contract/fault.ts';
import { userOverviewAnswerSchema, userOverviewQuerySchema } from '../../../contract/users/query.ts';
import { type SessionDistributionRow, distributionStatement } from '../../../query/sessions/distribution.ts';
import { sessionMetrics } from '../../../query/sessions/item.ts';
import { eachUser, selectUsers } from '../../../query/users/list.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { onlyRow } from '../../page/only-row.ts';

export const queryUserOverview: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/user/metrics-overview/query',
    operationId: 'queryUserOverview',
    summary: 'Query how users are spread',
    description: 'Histograms of the requests and the cost of the users that match, as those of `/v1/session/metrics/query`.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(userOverviewQuerySchema) } },
    responses: {
      200: { description: 'The histograms.', content: jsonContent(userOverviewAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerOverview,
};

async function answerOverview({ context, principal, ports }: RequestContext): Promise<Response> {
  const { filter, pSize = 'p75', useInterquartile } = await readInput(context, userOverviewQuerySchema);
  const selection = unwrap(selectUsers(principal.organizationId, { filter, timeFilter: undefined, timeZoneDifferenceMinutes: undefined }));
  const tail = useInterquartile === true ? 'interquartile' : pSize;
  const statement = distributionStatement(principal.organizationId, eachUser(selection), tail);
  const metrics = sessionMetrics(onlyRow(await ports.run<SessionDistributionRow>(statement, context.req.raw.signal)));
  return sendData(context, { request_count: metrics.session_count, user_cost: metrics.session_cost });
}
