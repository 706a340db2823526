import { unwrap } from '../../../contract/fault.ts';
import { userMetricsAnswerSchema, userMetricsQuerySchema } from '../../../contract/users/query.ts';
import { anyUserStatement, planUsers, userCountStatement, userItem, type UserRow, usersStatement } from '../../../query/users/list.ts';
import { emptyProbes } from '../../../query/requests/hints.ts';
import { type Endpoint, hintHeader, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { freshHeader, setFreshUntil } from '../../page/fresh-until.ts';
import { explain } from '../../page/headers.ts';
import { onlyRow } from '../../page/only-row.ts';

export const queryUserMetrics: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/user/metrics/query',
    operationId: 'queryUserMetrics',
    summary: 'Query users with their totals',
    description:
      'Users with a request in the range that matches the filter, and totals over these requests. Conditions in `users_view` decide on the totals; requests without a user count for nobody.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(userMetricsQuerySchema) } },
    responses: {
      200: { description: 'The page.', headers: { ...hintHeader, ...freshHeader }, content: jsonContent(userMetricsAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerUserMetrics,
};

async function answerUserMetrics(call: RequestContext): Promise<Response> {
  const { context, principal, ports, memory } = call;
  const { signal } = context.req.raw;
  const plan = unwrap(planUsers(principal.organizationId, await readInput(context, userMetricsQuerySchema)));
  await memory.takeRows(plan.limit);
  await setFreshUntil(call);
  const rows = plan.limit === 0 ? [] : await ports.run<UserRow>(usersStatement(plan), signal);
  const counted = onlyRow(await ports.run<{ readonly user_count: string }>(userCountStatement(plan), signal));
  const count = Number(counted.user_count);
  const hasUsers = count > 0 || (await ports.run(anyUserStatement(principal.organizationId), signal)).length > 0;
  await explain(call, undefined, count === 0 ? emptyProbes(plan, ports.knownNames, [], plan.timeRange) : []);
  return sendData(context, { users: rows.map(userItem), count, hasUsers });
}
