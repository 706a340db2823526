import { unwrap } from '../../../contract/fault.ts';
import { userMetricsAnswerSchema, userMetricsQuerySchema } from '../../../contract/users/query.ts';
import { anyUserStatement, planUsers, userCountStatement, userItem, type UserRow, usersStatement } from '../../../query/users/list.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
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
      200: { description: 'The page.', content: jsonContent(userMetricsAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerUserMetrics,
};

async function answerUserMetrics({ context, principal, ports, memory }: RequestContext): Promise<Response> {
  const { signal } = context.req.raw;
  const plan = unwrap(planUsers(principal.organizationId, await readInput(context, userMetricsQuerySchema)));
  await memory.takeRows(plan.limit);
  const rows = plan.limit === 0 ? [] : await ports.run<UserRow>(usersStatement(plan), signal);
  const counted = onlyRow(await ports.run<{ readonly user_count: string }>(userCountStatement(plan), signal));
  const count = Number(counted.user_count);
  const hasUsers = count > 0 || (await ports.run(anyUserStatement(principal.organizationId), signal)).length > 0;
  return sendData(context, { users: rows.map(userItem), count, hasUsers });
}
