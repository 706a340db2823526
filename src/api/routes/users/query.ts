import { unwrap } from '../../../contract/fault.ts';
import { userQueryAnswerSchema, userQuerySchema } from '../../../contract/users/query.ts';
import { costItem, planAllUsers, type UserRow, usersStatement } from '../../../query/users/list.ts';
import { rangeProbe } from '../../../query/requests/hints.ts';
import { type Endpoint, hintHeader, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { freshHeader, setFreshUntil } from '../../page/fresh-until.ts';
import { explain, setHint } from '../../page/headers.ts';

export const queryUsers: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/user/query',
    operationId: 'queryUsers',
    summary: 'Query users with what they cost',
    description:
      'Every user of the requests in the range, or those that are named. `/v1/user/metrics/query` has pages, filters and more totals.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(userQuerySchema) } },
    responses: {
      200: { description: 'The users.', headers: { ...hintHeader, ...freshHeader }, content: jsonContent(userQueryAnswerSchema) },
      ...problems(400, 413, 415, 422, 504),
    },
  },
  action: 'read',
  handle: answerUsers,
};

async function answerUsers(call: RequestContext): Promise<Response> {
  const { context, principal, ports } = call;
  const plan = unwrap(planAllUsers(principal.organizationId, await readInput(context, userQuerySchema)));
  await setFreshUntil(call);
  const rows = await ports.run<UserRow>(usersStatement(plan), context.req.raw.signal);
  if (rows.length === plan.limit) {
    setHint(context, `these are the ${plan.limit} dearest users; /v1/user/metrics/query has the others, page by page`);
  }
  const probe = rows.length === 0 ? rangeProbe(plan.tenant, plan.timeRange) : undefined;
  await explain(call, undefined, probe === undefined ? [] : [probe]);
  return sendData(context, rows.map(costItem));
}
