import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../test/support/seeded-random.ts';
import { problemSchema } from '../../contract/problem.ts';
import type { RequestItem } from '../../contract/requests/item.ts';
import {
  type UserMetricsItem,
  userMetricsAnswerSchema,
  userOverviewAnswerSchema,
  userQueryAnswerSchema,
} from '../../contract/users/query.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { moneyOfUsd } from '../../model/pricing/money.ts';
import { failureOfStatus } from '../../model/record/failure.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { userSortKeys } from '../../model/vocabulary/sort.ts';
import { idAt, noon } from '../../query/testing/query-harness.ts';
import { type ApiRig, checked, keyOf, openApiRig, queryPath } from '../testing/api-harness.ts';
import { testSeed } from '../../../test/support/test-length.ts';

const stranger = '0197b000-0000-7000-8000-0000000000ff' as OrganizationId;
const seed = testSeed();
const day = 86_400_000;
let rig: ApiRig;
let theirs: Hono;
let items: readonly RequestItem[];

beforeAll(async () => {
  rig = await openApiRig();
  theirs = rig.withPorts({ verifyKey: () => ({ organizationId: stranger, keyId: 'k', keyHash: '', permissions: 'r' }) });
  const random = new SeededRandom(seed);
  const records = Array.from({ length: 300 }, (_, n) => {
    const createdAt = noon - random.below(20) * (day / 4) - random.below(5);
    const tokens = random.below(4) === 0 ? null : random.below(1000);
    const status = random.of([200, 200, 500]);
    return {
      requestId: idAt(createdAt, n),
      createdAt,
      userId: random.below(10) === 0 ? '' : `user-${random.below(12)}`,
      status,
      failure: failureOfStatus(status),
      model: random.of(['a', 'b']),
      cost: random.below(5) === 0 ? null : (moneyOfUsd(random.below(1e6) / 1e6) ?? null),
      usage: { ...unreportedUsage, promptTokens: tokens, completionTokens: random.below(500) },
      ...(random.below(5) === 0 ? { organizationId: stranger } : {}),
    };
  });
  await rig.insert(records);
  const page = await rig.call('POST', queryPath, { body: { filter: {}, limit: 1000, includeBodies: false } });
  items = ((await page.json()) as { data: RequestItem[] }).data;
});
afterAll(() => rig.close());

type Given = Parameters<ApiRig['call']>[2];
const post = (path: string, body: unknown, given: Given = {}): Promise<Response> =>
  rig.call('POST', `/v1/user/${path}`, { ...given, body });
const query = async (body: unknown, given: Given = {}) =>
  (await checked(await post('metrics/query', body, given), 200, userMetricsAnswerSchema)).data;

const sum = (values: readonly (number | null)[]): number => values.reduce<number>((total, value) => total + (value ?? 0), 0);
const rounded = (value: number): number => Number(value.toPrecision(12));

/** The users of items, each recomputed from its items, in the order of their identifiers. @param minutes east of UTC. */
function usersOf(from: readonly RequestItem[], minutes = 0): readonly UserMetricsItem[] {
  const ids = [...new Set(from.map((item) => item.request_user_id ?? ''))].filter((id) => id !== '').toSorted();
  return ids.map((id) => {
    const own = from.filter((item) => item.request_user_id === id);
    const times = own.map((item) => item.request_created_at).toSorted();
    const days = new Set(times.map((time) => Math.floor((Date.parse(time) + minutes * 60_000) / day))).size;
    const [prompts, completions] = [sum(own.map((item) => item.prompt_tokens)), sum(own.map((item) => item.completion_tokens))];
    return {
      id,
      user_id: id,
      active_for: days,
      first_active: times[0] ?? '',
      last_active: times.at(-1) ?? '',
      total_requests: own.length,
      failed: own.filter((item) => item.response_status === 500).length,
      average_requests_per_day_active: own.length / days,
      average_tokens_per_request: (prompts + completions) / own.length,
      total_completion_tokens: completions,
      total_prompt_tokens: prompts,
      cost: rounded(sum(own.map((item) => item.cost))),
    };
  });
}

const comparable = (users: readonly UserMetricsItem[]): readonly UserMetricsItem[] =>
  users.map((user) => ({ ...user, cost: rounded(user.cost) }));
const idsOf = (users: readonly UserMetricsItem[]): readonly string[] => users.map(({ user_id: id }) => id);
const rmt = (field: string, operators: unknown): unknown => ({ request_response_rmt: { [field]: operators } });
const view = (field: string, operators: unknown): unknown => ({ users_view: { [field]: operators } });
const and = (left: unknown, right: unknown): unknown => ({ left, operator: 'and', right });
const or = (left: unknown, right: unknown): unknown => ({ left, operator: 'or', right });

describe(`POST /v1/user/metrics/query (seed ${seed})`, () => {
  test('has every user of the organisation with the totals of their requests', async () => {
    const { users, count, hasUsers } = await query({ sort: { user_id: 'asc' }, limit: 1000 });
    expect(comparable(users)).toEqual(usersOf(items));
    expect([count, hasUsers]).toEqual([users.length, true]);
    expect(users.length).toBeGreaterThan(10);
    const others = await query({}, { api: theirs });
    expect(sum(others.users.map((user) => user.total_requests))).toBeLessThan(items.length / 2);
    expect(others.count).toBeGreaterThan(0);
  });

  test('is over the requests in the range that match the filter, with days of a time zone', async () => {
    const [start, end] = [noon - 3 * day, noon - day];
    const body = {
      filter: or(rmt('status', { equals: 500 }), rmt('model', { equals: 'a' })),
      timeFilter: { startTimeUnixSeconds: start / 1000, endTimeUnixSeconds: end / 1000 },
      timeZoneDifferenceMinutes: 750,
      sort: { user_id: 'asc' },
    };
    const matching = items.filter((item) => {
      const at = Date.parse(item.request_created_at);
      return at >= start && at <= end && (item.response_status === 500 || item.model === 'a');
    });
    expect(comparable((await query(body)).users)).toEqual(usersOf(matching, 750));
  });

  test.each(userSortKeys.flatMap((key) => (['asc', 'desc'] as const).map((direction) => [key, direction] as const)))(
    'sorted by %s %s, users that are equal in it follow their identifiers, and pages meet',
    async (key, direction) => {
      const compared = (left: UserMetricsItem, right: UserMetricsItem): number =>
        left[key] === right[key] ? 0 : (left[key] < right[key] ? -1 : 1) * (direction === 'asc' ? 1 : -1);
      const expected = usersOf(items).toSorted(compared);
      const pages = await Promise.all([0, 5, 10].map((offset) => query({ sort: { [key]: direction }, offset, limit: 5 })));
      expect(idsOf(pages.flatMap(({ users }) => users))).toEqual(idsOf(expected));
      expect(pages.map(({ count }) => count)).toEqual([0, 0, 0].map(() => expected.length));
    },
  );

  test('without a sort has the latest active first', async () => {
    const expected = usersOf(items).toSorted((left, right) =>
      left.last_active < right.last_active ? 1 : left.last_active > right.last_active ? -1 : 0,
    );
    expect(idsOf((await query({})).users)).toEqual(idsOf(expected));
  });

  test.each<readonly [string, unknown, (user: UserMetricsItem) => boolean]>([
    ['cost', view('user_cost', { gt: 5 }), (user) => user.cost > 5],
    ['requests', view('user_total_requests', { lte: 18 }), (user) => user.total_requests <= 18],
    ['identifier', view('user_user_id', { contains: 'R-1' }), (user) => user.user_id.includes('r-1')],
    ['days', view('user_active_for', { gte: 4 }), (user) => user.active_for >= 4],
    ['tokens', view('user_average_tokens_per_request', { lt: 600 }), (user) => user.average_tokens_per_request < 600],
    [
      'time',
      view('user_last_active', { gte: new Date(noon - day / 4).toISOString() }),
      (user) => Date.parse(user.last_active) >= noon - day / 4,
    ],
    [
      'either',
      or(view('user_cost', { gt: 8 }), view('user_total_prompt_tokens', { 'not-equals': 0 })),
      (user) => user.cost > 8 || user.total_prompt_tokens !== 0,
    ],
    [
      'both',
      and(view('user_cost', { gt: 3 }), view('user_total_requests', { gt: 15 })),
      (user) => user.cost > 3 && user.total_requests > 15,
    ],
  ])('keeps users by their totals: %s', async (_, filter, isKept) => {
    const expected = usersOf(items).filter((user) => isKept(user));
    const { users, count } = await query({ filter, sort: { user_id: 'asc' } });
    expect(comparable(users)).toEqual(expected);
    expect(count).toBe(expected.length);
  });

  test('an empty group of conditions on totals keeps every user', async () => {
    expect((await query({ filter: and({ users_view: {} }, rmt('status', { equals: 200 })) })).count).toBe(
      usersOf(items.filter((item) => item.response_status === 200)).length,
    );
  });

  test('has no more conditions on totals than any filter', async () => {
    const balanced = (count: number): unknown =>
      count === 1 ? view('user_cost', { gte: 0 }) : or(balanced(Math.floor(count / 2)), balanced(Math.ceil(count / 2)));
    const api = rig.withPorts({ bodyMaxBytes: 1024 * 1024 });
    expect((await post('metrics/query', { filter: balanced(1000) }, { api })).status).toBe(200);
    const { error } = await checked(await post('metrics/query', { filter: balanced(1001) }, { api }), 422, problemSchema);
    expect(error).toContain('at most 2000 nodes');
  });

  test('keeps requests by the request’s conditions beside those on totals', async () => {
    const filter = and(and(rmt('status', { equals: 200 }), view('user_total_requests', { gte: 10 })), rmt('model', { equals: 'b' }));
    const matching = items.filter((item) => item.response_status === 200 && item.model === 'b');
    expect(comparable((await query({ filter, sort: { user_id: 'asc' } })).users)).toEqual(
      usersOf(matching).filter((user) => user.total_requests >= 10),
    );
  });

  test('says how fresh it is, and why it shows nobody', async () => {
    for (const path of ['query', 'metrics/query']) {
      const answer = await post(path, { timeFilter: { endTimeUnixSeconds: 0 } });
      expect(Date.parse(answer.headers.get('svc-fresh-until') ?? '')).toBeGreaterThan(Date.now() - 60_000);
      expect(answer.headers.get('svc-hint')).toContain('the record goes from');
    }
    const mistyped = await post('metrics/query', { filter: rmt('user_id', { equals: 'User-1' }) });
    expect(mistyped.headers.get('svc-hint')).toContain('there is "user-1"');
  });

  test('says whether there are users at all', async () => {
    expect(await query({ filter: rmt('model', { equals: 'none' }) })).toEqual({ users: [], count: 0, hasUsers: true });
    const nobody = rig.withPorts({
      verifyKey: () => ({
        organizationId: '0197b000-0000-7000-8000-0000000000fe' as OrganizationId,
        keyId: 'k',
        keyHash: '',
        permissions: 'r',
      }),
    });
    expect(await query({}, { api: nobody })).toEqual({ users: [], count: 0, hasUsers: false });
    expect((await query({ limit: 0 })).users).toEqual([]);
  });

  test.each([
    [{ sort: { spend: 'desc' } }, 'sort.spend'],
    [{ sort: { cost: 'down' } }, 'sort.cost'],
    [{ limit: 1001 }, 'limit'],
    [{ timeZoneDifferenceMinutes: 1441 }, 'timeZoneDifferenceMinutes'],
    [{ timeFilter: { startTimeUnixSeconds: 'now' } }, 'timeFilter.startTimeUnixSeconds'],
    [{ filter: view('user_spend', { gt: 1 }) }, 'filter.users_view.user_spend'],
    [{ filter: view('user_cost', { contains: '1' }) }, 'filter.users_view.user_cost.contains'],
    [{ filter: view('user_cost', { gt: '1' }) }, 'filter.users_view.user_cost.gt'],
    [{ filter: view('user_cost', { gt: 1, lt: 2 }) }, 'filter.users_view.user_cost'],
    [{ filter: { users_view: { user_cost: { gt: 1 }, user_user_id: { equals: 'x' } } } }, 'filter'],
    [{ filter: { ...(and(view('user_cost', { gt: 1 }), {}) as object), also: 1 } }, 'filter'],
    [{ filter: { ...(or(view('user_cost', { gt: 1 }), view('user_cost', { lt: 0 })) as object), also: 1 } }, 'filter'],
    [{ filter: or(view('user_cost', { gt: 1 }), rmt('status', { equals: 200 })) }, 'filter.right'],
    [{ filter: and(view('user_cost', { gt: 1 }), rmt('nothing', { equals: 200 })) }, 'filter.right.request_response_rmt.nothing'],
  ])('422 for %j', async (body, path) => {
    expect((await checked(await post('metrics/query', body), 422, problemSchema)).details).toEqual({ path });
  });

  test('needs a key that may read', async () => {
    for (const path of ['query', 'metrics/query', 'metrics-overview/query']) {
      expect((await post(path, {}, { key: keyOf('w') })).status).toBe(403);
    }
  });
});

const overview = async (body: unknown) => (await checked(await post('metrics-overview/query', body), 200, userOverviewAnswerSchema)).data;

describe('POST /v1/user/metrics-overview/query', () => {
  test('has every user in one bucket of each histogram when nothing is left out', async () => {
    const filter = rmt('status', { equals: 200 });
    const users = usersOf(items.filter((item) => item.response_status === 200));
    const { request_count: requests, user_cost: costs } = await overview({ filter, pSize: 'p99.9' });
    const least = Math.min(...users.map((user) => user.total_requests));
    const greatest = Math.max(...users.map((user) => user.total_requests));
    expect(requests).toHaveLength(10);
    expect([requests[0]?.range_start, requests.at(-1)?.range_end]).toEqual([least, greatest]);
    for (const { range_start: from, range_end: to, value } of requests.slice(0, -1)) {
      expect(value).toBe(users.filter((user) => user.total_requests >= from && user.total_requests < to).length);
    }
    expect([sum(requests.map(({ value }) => value)), sum(costs.map(({ value }) => value))]).toEqual([users.length, users.length]);
    expect(rounded(costs.at(-1)?.range_end ?? 0)).toBe(Math.max(...users.map((user) => user.cost)));
    const half = await overview({ pSize: 'p50' });
    expect(sum(half.user_cost.map(({ value }) => value))).toBe(Math.ceil(usersOf(items).length / 2));
    expect(await overview({ filter: rmt('model', { equals: 'none' }) })).toEqual({ request_count: [], user_cost: [] });
  });
});

const costs = async (body: unknown, given: Given = {}) =>
  (await checked(await post('query', body, given), 200, userQueryAnswerSchema)).data;
const expected = (from: readonly RequestItem[]) =>
  usersOf(from)
    .map((user) => ({
      count: user.total_requests,
      prompt_tokens: user.total_prompt_tokens,
      completion_tokens: user.total_completion_tokens,
      user_id: user.user_id,
      cost: user.cost,
    }))
    .toSorted((left, right) => right.cost - left.cost);
const rounds = (users: Awaited<ReturnType<typeof costs>>) => users.map((user) => ({ ...user, cost: rounded(user.cost) }));

describe('POST /v1/user/query', () => {
  test('has every user with what they cost, the most expensive first', async () => {
    expect(rounds(await costs({}))).toEqual(expected(items));
    expect((await costs({}, { api: theirs })).every(({ count }) => count < 20)).toBe(true);
  });

  test('has only the users that are named, in the range', async () => {
    const timeFilter = { startTimeUnixSeconds: (noon - 2 * day) / 1000, endTimeUnixSeconds: noon / 1000 };
    const matching = items.filter(
      (item) =>
        ['user-1', 'user-11'].includes(item.request_user_id ?? '') &&
        Date.parse(item.request_created_at) >= noon - 2 * day &&
        Date.parse(item.request_created_at) <= Math.floor(noon / 1000) * 1000 + (noon % 1000),
    );
    expect(rounds(await costs({ userIds: ['user-1', 'user-11', 'nobody'], timeFilter }))).toEqual(expected(matching));
    expect(await costs({ userIds: [] })).toEqual([]);
  });

  test.each([
    [{ userIds: 'user-1' }, 'userIds'],
    [{ userIds: [5] }, 'userIds[0]'],
    [{ timeFilter: [] }, 'timeFilter'],
  ])('422 for %j', async (body, path) => {
    expect((await checked(await post('query', body), 422, problemSchema)).details).toEqual({ path });
  });
});
