import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unwrap } from '../../contract/fault.ts';
import type { SessionItem } from '../../contract/sessions/item.ts';
import type { SessionQuery } from '../../contract/sessions/query.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { parseMoney } from '../../model/pricing/money.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { empty, idAt, noon, openQueryRig, type QueryRig, tenant } from '../testing/query-harness.ts';
import { cursorBehindSession } from './cursor.ts';
import { sessionItem, sessionMetrics, sessionNameItem, sessionTotals } from './item.ts';
import { type SessionNameRow, sessionNamesStatement } from './names.ts';
import { sessionPageStatement, sessionTotalsStatement, type SessionTotalsRow } from './list.ts';
import { planSessionNames, planSessions } from './query.ts';
import type { SessionRow } from './columns.ts';
import { type SessionDistributionRow, sessionDistributionStatement } from './distribution.ts';

let rig: QueryRig;
beforeAll(async () => {
  rig = await openQueryRig();
  await rig.insert(records, 'sessions');
});
afterAll(async () => rig.close());

const stranger = '0197b000-0000-7000-8000-00000000000b' as OrganizationId;
let made = 0;

/** A request of a session, so many milliseconds after noon. */
function request(sessionId: string, ms: number, given: Partial<RequestRecord> = {}): RequestRecord {
  made += 1;
  return { ...empty, requestId: idAt(noon + ms, made), createdAt: noon + ms, sessionId, ...given };
}

const usage = (promptTokens: number | null, completionTokens: number | null) => ({ ...unreportedUsage, promptTokens, completionTokens });
const usd = (text: string) => parseMoney(text) ?? null;
const properties = (of: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(of));

/** `chat` has four requests of which one is far behind, `Agent-7` two in one millisecond, `plain` one of which nothing is known. */
const records: readonly RequestRecord[] = [
  request('chat', 0, {
    sessionName: 'First',
    userId: 'ann',
    latencyMs: 100,
    cost: usd('0.000000000001'),
    usage: usage(10, 1),
    status: 200,
    properties: properties({ Team: 'search', Env: 'test' }),
  }),
  request('chat', 10, {
    sessionName: 'Second',
    userId: 'bob',
    latencyMs: 201,
    cost: usd('0.1'),
    usage: usage(null, 2),
    status: 500,
    failure: { kind: 'status', type: '', message: '' },
    properties: properties({ Team: 'chat' }),
  }),
  request('chat', 20, { userId: 'ann', cost: usd('0.2'), status: 200 }),
  request('chat', 100_000, { sessionName: 'Last', userId: 'eve', status: 200, properties: properties({ Env: '' }) }),
  request('Agent-7', 1000, { sessionName: 'Older', status: 200, latencyMs: 5, cost: usd('5'), properties: properties({ Team: 'chat' }) }),
  request('Agent-7', 1000, { sessionName: 'Newer', status: 404, latencyMs: 6, properties: properties({ Team: 'agents' }) }),
  request('plain', 1000),
  request('', 500, { sessionName: 'No session', userId: 'nobody' }),
  { ...request('chat', 30, { sessionName: 'Theirs', userId: 'theirs' }), organizationId: stranger },
];

async function sessions(body: SessionQuery): Promise<readonly SessionItem[]> {
  const plan = unwrap(planSessions(tenant, body));
  return (await rig.store.run<SessionRow>(sessionPageStatement(plan))).map((row) => sessionItem(row, plan.offsetMinutes));
}

const idsOf = async (body: SessionQuery): Promise<string> => (await sessions(body)).map(({ session_id: id }) => id).join(' ');
const at = (ms: number): string => new Date(noon + ms).toISOString();
const rmt = (field: string, operators: unknown): unknown => ({ request_response_rmt: { [field]: operators } });
const whole = (field: string, operators: unknown): unknown => ({ sessions_request_response_rmt: { [field]: operators } });
const property = (name: string, operators: unknown): unknown => ({ session: { properties: { [name]: operators } } });
const and = (left: unknown, right: unknown): unknown => ({ left, operator: 'and', right });
const or = (left: unknown, right: unknown): unknown => ({ left, operator: 'or', right });

describe('a session', () => {
  test('is all requests of one organisation with one identifier, and without one there is none', async () => {
    expect(await idsOf({})).toBe('Agent-7 plain chat');
  });

  test('has every field of both samples and its tag', async () => {
    const [item] = await sessions({ search: 'chat' });
    expect(item).toEqual({
      session_id: 'chat',
      session_name: 'Last',
      session_tag: null,
      created_at: at(0),
      latest_request_created_at: at(100_000),
      last_used: at(100_000),
      total_cost: 0.300000000001,
      total_requests: 4,
      failed: 1,
      prompt_tokens: 10,
      completion_tokens: 3,
      total_tokens: 13,
      avg_latency: 150.5,
      user_ids: ['ann', 'bob', 'eve'],
      properties: { Team: 'chat', Env: '' },
    });
  });

  test('of which nothing is known has zeros, no users and no name', async () => {
    const [item] = await sessions({ search: 'plain' });
    expect(item).toMatchObject({ session_name: '', total_cost: 0, total_tokens: 0, avg_latency: 0, user_ids: [], properties: {} });
  });

  test('has its newest name that is not empty; of one millisecond the greater identifier is newer', async () => {
    expect((await sessions({})).map(({ session_name: name }) => name)).toEqual(['Newer', '', 'Last']);
  });

  test('comes before those that began earlier, and of one millisecond in the order of the identifiers', async () => {
    expect((await sessions({})).map(({ created_at: created }) => created)).toEqual([at(1000), at(1000), at(0)]);
    expect(await idsOf({ filter: rmt('request_created_at', { gt: at(1000) }) })).toBe('chat');
  });
});

describe('a range', () => {
  test.each<readonly [string, SessionQuery, string]>([
    ['of the two fields at the top', { startTimeUnixMs: noon + 1000, endTimeUnixMs: noon + 2000 }, 'Agent-7 plain'],
    ['of a timeFilter', { timeFilter: { startTimeUnixMs: noon + 1000, endTimeUnixMs: noon + 2000 } }, 'Agent-7 plain'],
    [
      'of a timeFilter, which wins',
      { startTimeUnixMs: 0, endTimeUnixMs: 1, timeFilter: { startTimeUnixMs: noon + 1000 } },
      'chat Agent-7 plain',
    ],
    ['with a begin alone', { startTimeUnixMs: noon + 1001 }, 'chat'],
    ['with an end alone', { endTimeUnixMs: noon + 999 }, 'chat'],
    ['of one millisecond', { startTimeUnixMs: noon + 1000, endTimeUnixMs: noon + 1000 }, 'Agent-7 plain'],
    ['between two milliseconds', { startTimeUnixMs: noon + 999.5, endTimeUnixMs: noon + 1000.5 }, 'Agent-7 plain'],
    ['that ends before it begins', { startTimeUnixMs: noon + 1, endTimeUnixMs: noon }, ''],
    ['of everything, and more', { startTimeUnixMs: -1e300, endTimeUnixMs: 1e300 }, 'Agent-7 plain chat'],
  ])('%s', async (_, body, expected) => {
    expect(await idsOf(body)).toBe(expected);
  });

  test('holds the whole session: totals, name and properties are over the requests in it', async () => {
    const [item] = await sessions({ endTimeUnixMs: noon + 10 });
    expect(item).toMatchObject({
      total_requests: 2,
      session_name: 'Second',
      properties: { Team: 'chat', Env: 'test' },
      user_ids: ['ann', 'bob'],
    });
    expect(await idsOf({ endTimeUnixMs: noon + 10, filter: whole('session_total_requests', { equals: 2 }) })).toBe('chat');
    expect(await idsOf({ endTimeUnixMs: noon + 10, filter: whole('session_total_requests', { equals: 4 }) })).toBe('');
  });
});

describe('timezoneDifference', () => {
  test.each([
    [0, 0, 'Z'],
    [-8, -480, '-08:00'],
    [5.5, 330, '+05:30'],
    [24, 1440, '+24:00'],
    [-25, -25, '-00:25'],
    [330, 330, '+05:30'],
    [-1440, -1440, '-24:00'],
  ])('of %s writes the times %s minutes east, with %s, and changes nothing else', async (timezoneDifference, minutes, text) => {
    const [item] = await sessions({ search: 'plain', timezoneDifference });
    const local = new Date(noon + 1000 + minutes * 60_000).toISOString().replace('Z', text);
    expect(item).toMatchObject({ created_at: local, latest_request_created_at: local, last_used: local });
    expect(await idsOf({ startTimeUnixMs: noon + 1000, endTimeUnixMs: noon + 1000, timezoneDifference })).toBe('Agent-7 plain');
  });
});

describe('search and nameEquals', () => {
  test.each<readonly [string, SessionQuery, string]>([
    ['part of the identifier in any case', { search: 'AGENT-' }, 'Agent-7'],
    ['part of the name in any case', { search: 'lAs' }, 'chat'],
    ['a name that the session has no more', { search: 'second' }, ''],
    ['nothing', { search: '' }, 'Agent-7 plain chat'],
    ['what is special in patterns', { search: '%' }, ''],
    ['the whole name', { nameEquals: 'Last' }, 'chat'],
    ['the name in another case', { nameEquals: 'last' }, ''],
    ['no name', { nameEquals: '' }, 'plain'],
    ['both', { search: 'chat', nameEquals: 'Newer' }, ''],
    ['a name of the range', { search: 'second', endTimeUnixMs: noon + 50 }, 'chat'],
  ])('%s', async (_, body, expected) => {
    expect(await idsOf(body)).toBe(expected);
  });
});

describe('a filter', () => {
  test.each<readonly [string, unknown, string]>([
    ['on requests', rmt('status', { gte: 400 }), 'Agent-7 chat'],
    ['on the whole session', whole('session_total_cost', { gt: 0.3 }), 'Agent-7 chat'],
    ['on its newest properties: equals', property('Team', { equals: 'chat' }), 'chat'],
    ['on its newest properties: not-equals', property('Team', { 'not-equals': 'chat' }), 'Agent-7 plain'],
    ['on its newest properties: contains', property('Team', { contains: 'ENT' }), 'Agent-7'],
    ['on its newest properties: not-contains', property('Team', { 'not-contains': 'ent' }), 'plain chat'],
    ['by legacy names', { response: { status: { equals: 404 } } }, 'Agent-7'],
    ['everything', 'all', 'Agent-7 plain chat'],
    ['requests and sessions', and(rmt('status', { equals: 500 }), whole('session_total_requests', { gt: 2 })), 'chat'],
    ['requests and sessions that no session has', and(rmt('status', { equals: 404 }), whole('session_total_requests', { gt: 2 })), ''],
    ['requests or sessions', or(rmt('status', { equals: 404 }), whole('session_total_requests', { equals: 4 })), 'Agent-7 chat'],
    [
      'both, deeper',
      or(
        and(rmt('status', { equals: 0 }), property('Team', { equals: '' })),
        and(whole('session_total_cost', { gte: 5 }), rmt('latency', { lt: 6 })),
      ),
      'Agent-7 plain',
    ],
  ])('%s', async (_, filter, expected) => {
    expect(await idsOf({ filter })).toBe(expected);
  });

  test('keeps requests: totals, times and users are over those, name and properties over all', async () => {
    const [item] = await sessions({ filter: rmt('status', { equals: 500 }), search: 'chat' });
    expect(item).toMatchObject({
      created_at: at(10),
      latest_request_created_at: at(10),
      total_cost: 0.1,
      total_requests: 1,
      failed: 1,
      prompt_tokens: 0,
      total_tokens: 2,
      avg_latency: 201,
      user_ids: ['bob'],
      session_name: 'Last',
      properties: { Team: 'chat', Env: '' },
    });
  });

  test('of a mixed or keeps a request when its own side holds or its session’s side holds', async () => {
    const filter = or(rmt('status', { equals: 404 }), whole('session_total_requests', { equals: 4 }));
    expect((await sessions({ filter })).map(({ total_requests: requests }) => requests)).toEqual([1, 4]);
  });
});

const grown = (count: number, leafAt: (place: number) => unknown, operatorAt: (place: number) => string): unknown => {
  let filter: unknown = {};
  for (let place = 0; place < count; place += 1) filter = { left: leafAt(place), operator: operatorAt(place), right: filter };
  return filter;
};
const balanced = (leaves: readonly unknown[]): unknown => {
  const middle = Math.ceil(leaves.length / 2);
  return leaves.length === 1 ? leaves[0] : or(balanced(leaves.slice(0, middle)), balanced(leaves.slice(middle)));
};

const ofBothKinds = (place: number): unknown =>
  place % 2 === 0 ? rmt('status', { equals: 404 }) : whole('session_total_requests', { gt: place });

describe('the largest filter', () => {
  test('of alternating operators over both kinds runs', async () => {
    expect(await idsOf({ filter: grown(200, ofBothKinds, (place) => (place % 3 === 0 ? 'and' : 'or')) })).toContain('Agent-7');
  });

  test('of a thousand session properties runs', async () => {
    const leaves = Array.from({ length: 990 }, (_, place) => property(`Team${place % 20}`, { contains: `x${place}` }));
    expect(await idsOf({ filter: balanced([...leaves, property('Team', { equals: 'agents' })]) })).toBe('Agent-7');
  });

  test('of a thousand conditions of both kinds runs', async () => {
    const leaves = Array.from({ length: 990 }, (_, place) =>
      place % 2 === 0 ? rmt('latency', { gt: 1e6 + place }) : whole('session_total_cost', { gt: 1e6 + place }),
    );
    expect(await idsOf({ filter: balanced([...leaves, property('Team', { equals: 'agents' })]) })).toBe('Agent-7');
  });
});

describe('pages of sessions', () => {
  test('meet without overlap', async () => {
    const pages = [await idsOf({ limit: 2 }), await idsOf({ limit: 2, offset: 2 }), await idsOf({ limit: 2, offset: 4 })];
    expect(pages).toEqual(['Agent-7 plain', 'chat', '']);
  });

  test.each<readonly [SessionQuery['sort'], string]>([
    [{ created_at: 'asc' }, 'chat Agent-7 plain'],
    [{ created_at: 'desc' }, 'Agent-7 plain chat'],
    [{ latest_request_created_at: 'asc' }, 'Agent-7 plain chat'],
    [{ latest_request_created_at: 'desc' }, 'chat Agent-7 plain'],
    [{ total_cost: 'asc' }, 'plain chat Agent-7'],
    [{ total_cost: 'desc' }, 'Agent-7 chat plain'],
    [{ total_requests: 'asc' }, 'plain Agent-7 chat'],
    [{ total_requests: 'desc' }, 'chat Agent-7 plain'],
    [{ failed: 'desc' }, 'chat Agent-7 plain'],
    [{ failed: 'asc' }, 'Agent-7 plain chat'],
    [{ total_tokens: 'asc' }, 'Agent-7 plain chat'],
    [{ total_tokens: 'desc', total_cost: 'asc' }, 'chat plain Agent-7'],
    [{ avg_latency: 'asc' }, 'plain Agent-7 chat'],
    [{ avg_latency: 'desc' }, 'chat Agent-7 plain'],
  ])('sorted by %j are in that order, by offset and by cursor', async (sort, expected) => {
    expect(await idsOf({ sort })).toBe(expected);
    const byOffset = await Promise.all([0, 1, 2].map((offset) => idsOf({ sort, offset, limit: 1 })));
    expect(byOffset.join(' ')).toBe(expected);
    const byCursor: string[] = [];
    for (let cursor: string | undefined, page = 0; page < 3; page += 1) {
      const plan = unwrap(planSessions(tenant, { sort, limit: 1, ...(cursor === undefined ? {} : { cursor }) }));
      const [row] = await rig.store.run<SessionRow>(sessionPageStatement(plan));
      byCursor.push(row?.session_id ?? '');
      cursor = row === undefined ? undefined : cursorBehindSession(plan, row);
    }
    expect(byCursor.join(' ')).toBe(expected);
  });
});

describe('the count', () => {
  test.each<readonly [string, SessionQuery, unknown]>([
    [
      'of all',
      { limit: 1, offset: 1 },
      { count: 3, total_cost: 5.300000000001, avg_cost: 1.766666666667, avg_latency: 78, avg_requests: 7 / 3 },
    ],
    [
      'of kept requests',
      { filter: rmt('status', { equals: 500 }) },
      { count: 1, total_cost: 0.1, avg_cost: 0.1, avg_latency: 201, avg_requests: 1 },
    ],
    ['of none', { search: 'nowhere' }, { count: 0, total_cost: 0, avg_cost: 0, avg_latency: 0, avg_requests: 0 }],
  ])('%s', async (_, body, expected) => {
    const [row] = await rig.store.run<SessionTotalsRow>(sessionTotalsStatement(unwrap(planSessions(tenant, body))));
    expect(row === undefined ? undefined : sessionTotals(row)).toEqual(expected);
  });
});

describe('names and metrics', () => {
  test('the names, the one used last first, with how many sessions have them', async () => {
    const plan = unwrap(planSessionNames(tenant, { timezoneDifference: 1 }));
    const names = (await rig.store.run<SessionNameRow>(sessionNamesStatement(plan))).map((row) => sessionNameItem(row, plan.offsetMinutes));
    expect(names.map(({ name, session_count: count, avg_latency: latency }) => [name, count, latency])).toEqual([
      ['Last', 1, 150.5],
      ['', 1, 0],
      ['Newer', 1, 5.5],
    ]);
    const first = new Date(noon + 3_600_000).toISOString().replace('Z', '+01:00');
    expect(names[0]).toMatchObject({ created_at: first, first_used: first });
  });

  test('nameContains is a part of the name in any case', async () => {
    const plan = unwrap(planSessionNames(tenant, { nameContains: 'EW' }));
    expect(await rig.store.run<SessionNameRow>(sessionNamesStatement(plan))).toMatchObject([{ name: 'Newer' }]);
  });

  test('the spread of cost, duration and requests with their averages', async () => {
    const plan = unwrap(planSessionNames(tenant, { pSize: 'p99' }));
    const [row] = await rig.store.run<SessionDistributionRow>(sessionDistributionStatement(plan, plan.tail));
    const metrics = row === undefined ? undefined : sessionMetrics(row);
    expect(metrics?.session_count.map(({ value }) => value)).toEqual([1, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
    expect(metrics?.session_duration[9]).toEqual({ range_start: 90_000, range_end: 100_000, value: 1 });
    expect(metrics?.session_cost[0]).toMatchObject({ range_start: 0, value: 2 });
    expect(metrics?.average).toEqual({
      session_count: [{ average: 7 / 3 }],
      session_duration: [{ average: 100_000 / 3 }],
      session_cost: [{ average: 1.766666666667 }],
    });
  });

  test('a histogram leaves out the tail, and an average does not', async () => {
    const plan = unwrap(planSessionNames(tenant, { pSize: 'p50' }));
    const [row] = await rig.store.run<SessionDistributionRow>(sessionDistributionStatement(plan, plan.tail));
    const metrics = row === undefined ? undefined : sessionMetrics(row);
    expect(metrics?.session_count.reduce((sum, { value }) => sum + value, 0)).toBe(2);
    expect(metrics?.average.session_count).toEqual([{ average: 7 / 3 }]);
  });
});
