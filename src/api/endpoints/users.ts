import { filterExample } from '../../contract/filter.ts';
import { z } from 'zod';
import { unwrap } from '../../contract/fault.ts';
import { erasureAnswerSchema } from '../../contract/users/erasure.ts';
import {
  userMetricsAnswerSchema,
  userMetricsQuerySchema,
  userOverviewAnswerSchema,
  userOverviewQuerySchema,
  userQueryAnswerSchema,
  userQuerySchema,
} from '../../contract/users/query.ts';
import { GatelogError } from '../../model/errors.ts';
import { quoted, wellFormed } from '../../model/text.ts';
import { emptyProbes, rangeProbe } from '../../query/hints/hints.ts';
import { type SessionDistributionRow, distributionStatement } from '../../query/sessions/distribution.ts';
import { sessionMetrics } from '../../query/sessions/item.ts';
import {
  anyUserStatement,
  costItem,
  eachUser,
  planAllUsers,
  planUsers,
  selectUsers,
  userCountStatement,
  userItem,
  type UserRow,
  usersStatement,
} from '../../query/users/list.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { hintHeader } from '../http/declared-responses.ts';
import { freshHeader, setFreshUntil } from '../page/fresh-until.ts';
import { explain, setHint } from '../page/headers.ts';
import { onlyRow } from '../page/only-row.ts';

const id = {
  schema: z.string().meta({
    param: { name: 'id', in: 'path' },
    description: 'The user, as `request_user_id` of the records has it, URL-encoded.',
  }),
  read: wellFormed,
};

export const users = [
  endpoint({
    at: 'POST /v1/user/query',
    id: 'queryUsers',
    summary: 'Query users with what they cost',
    text: 'Every user of the requests in the range, or those that are named. `/v1/user/metrics/query` has pages, filters and more totals.',
    action: 'read',
    body: userQuerySchema,
    example: { userIds: ['user-42'] },
    answer: userQueryAnswerSchema,
    answered: 'The users.',
    headers: { ...hintHeader, ...freshHeader },
    errors: [400, 413, 415, 422, 504],
    run: async (call) => {
      const { context, tenant, ports, signal } = call;
      const plan = unwrap(planAllUsers(tenant, call.body));
      await setFreshUntil(call);
      const rows = await ports.run<UserRow>(usersStatement(plan), signal);
      if (rows.length === plan.limit) {
        setHint(context, `these are the ${plan.limit} most expensive users; /v1/user/metrics/query has the others, page by page`);
      }
      const probe = rows.length === 0 ? rangeProbe(plan.tenant, plan.timeRange) : undefined;
      await explain(call, undefined, probe === undefined ? [] : [probe]);
      return rows.map(costItem);
    },
  }),
  endpoint({
    at: 'POST /v1/user/metrics/query',
    id: 'queryUserMetrics',
    summary: 'Query users with their totals',
    text: 'Users with a request in the range that matches the filter, and totals over these requests. Conditions in `users_view` decide on the totals; requests without a user count for nobody.',
    action: 'read',
    body: userMetricsQuerySchema,
    example: { filter: filterExample, sort: { cost: 'desc' }, limit: 50 },
    answer: userMetricsAnswerSchema,
    answered: 'The page.',
    headers: { ...hintHeader, ...freshHeader },
    errors: [400, 413, 415, 422, 504],
    run: async (call) => {
      const { tenant, ports, memory, signal } = call;
      const plan = unwrap(planUsers(tenant, call.body));
      await memory.takeRows(plan.limit);
      await setFreshUntil(call);
      const rows = plan.limit === 0 ? [] : await ports.run<UserRow>(usersStatement(plan), signal);
      const counted = onlyRow(await ports.run<{ readonly user_count: string }>(userCountStatement(plan), signal));
      const count = Number(counted.user_count);
      const hasUsers = count > 0 || (await ports.run(anyUserStatement(tenant), signal)).length > 0;
      await explain(call, undefined, count === 0 ? emptyProbes(plan, ports.knownNames, [], plan.timeRange) : []);
      return { users: rows.map(userItem), count, hasUsers };
    },
  }),
  endpoint({
    at: 'POST /v1/user/metrics-overview/query',
    id: 'queryUserOverview',
    summary: 'Query how users are spread',
    text: 'Histograms of the requests and the cost of the users that match, as those of `/v1/session/metrics/query`.',
    action: 'read',
    body: userOverviewQuerySchema,
    example: { filter: filterExample, pSize: 'p95' },
    answer: userOverviewAnswerSchema,
    answered: 'The histograms.',
    errors: [400, 413, 415, 422, 504],
    run: async ({ tenant, ports, body: { filter, pSize = 'p75', useInterquartile }, signal }) => {
      const selection = unwrap(selectUsers(tenant, { filter, timeFilter: undefined, timeZoneDifferenceMinutes: undefined }));
      const tail = useInterquartile === true ? 'interquartile' : pSize;
      const statement = distributionStatement(tenant, eachUser(selection), tail);
      const metrics = sessionMetrics(onlyRow(await ports.run<SessionDistributionRow>(statement, signal)));
      return { request_count: metrics.session_count, user_cost: metrics.session_cost };
    },
  }),
  endpoint({
    at: 'DELETE /v1/user/{id}',
    id: 'eraseUser',
    summary: 'Erase a user',
    text: 'Takes a key with the permission `admin`. All that came from the user up to now goes for good: records with their bodies and history, replies that are kept, records on their way to the store, dead letters, and what only their sessions had. The answer comes when every count is final. Where that takes long it is 503 `erasure_in_progress`: the erasure goes on, over a restart too, and the same call again waits for it and gets the receipt. A call that comes later is recorded as any other.',
    action: 'administer',
    params: { id },
    answer: erasureAnswerSchema,
    answered: 'Erased.',
    run: async ({ tenant, ports, params, signal }) => {
      const receipt = await ports.erasures.erase(tenant, params.id);
      if (receipt === undefined) {
        throw new GatelogError(
          'erasure_in_progress',
          `The erasure of user ${quoted(params.id)} goes on: calls that may be theirs are still open, or the store takes its time. Send the same call again to wait for its receipt.`,
        );
      }
      // Remembered hints may name the user.
      ports.hintLookUps.forget(tenant);
      // A caller that has disconnected does not get the receipt.
      if (!signal.aborted) await ports.erasures.acknowledge(receipt);
      const { erasedAt, counts } = receipt;
      return { user_id: params.id, erased_at: new Date(erasedAt).toISOString(), ...counts };
    },
  }),
];
