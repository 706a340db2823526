import type { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../test/support/seeded-random.ts';
import { namedMetricsAnswerSchema } from '../../contract/metrics/by-name.ts';
import { problemSchema } from '../../contract/problem.ts';
import { propertyOverTimeAnswerSchema, topCostsAnswerSchema, topRequestsAnswerSchema } from '../../contract/metrics/property.ts';
import type { RequestItem } from '../../contract/requests/item.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { moneyOfUsd } from '../../model/pricing/money.ts';
import { failureOfStatus } from '../../model/record/failure.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { namedMetrics } from '../../query/metrics/by-name.ts';
import { idAt, noon } from '../../query/testing/query-harness.ts';
import { type ApiRig, checked, keyOf, openApiRig, queryPath } from '../testing/api-harness.ts';
import { testSeed } from '../../../test/support/test-length.ts';

const stranger = '0197b000-0000-7000-8000-0000000000ff' as OrganizationId;
const seed = testSeed();
const [hour, day] = [3_600_000, 86_400_000];
let rig: ApiRig;
let theirs: Hono;
/** The requests of the organisation in the range of every question. */
let items: readonly RequestItem[];

const [start, end] = [noon - 3 * day, noon];
const timeFilter = { start: new Date(start).toISOString(), end };
const filter = { request_response_rmt: { status: { 'not-equals': 404 } } };

beforeAll(async () => {
  rig = await openApiRig();
  theirs = rig.withPorts({ verifyKey: () => ({ organizationId: stranger, keyId: 'k', keyHash: '', permissions: 'r' }) });
  const random = new SeededRandom(seed);
  const records = Array.from({ length: 400 }, (_, n) => {
    const createdAt = noon - random.below(5 * 24) * hour - random.below(hour);
    const status = random.of([200, 200, 500, 404]);
    return {
      requestId: idAt(createdAt, n),
      createdAt,
      userId: random.below(10) === 0 ? '' : `user-${random.below(9)}`,
      status,
      failure: failureOfStatus(status),
      model: random.of(['a', 'b', 'c']),
      countryCode: random.of(['', 'DE', 'US']),
      threat: random.of([null, true, false]),
      cached: random.below(4) === 0,
      latencyMs: random.below(6) === 0 ? null : random.below(5000),
      timeToFirstTokenMs: random.below(2) === 0 ? null : random.below(900),
      cost: random.below(5) === 0 ? null : (moneyOfUsd(random.below(1e6) / 1e6) ?? null),
      usage: { ...unreportedUsage, promptTokens: random.below(1000), completionTokens: random.below(4) === 0 ? null : random.below(500) },
      properties: new Map(random.below(5) === 0 ? [] : [['Team', `team ${random.below(14)}`]]),
      ...(random.below(6) === 0 ? { organizationId: stranger } : {}),
    };
  });
  await rig.insert(records);
  const page = await rig.call('POST', queryPath, { body: { filter: {}, limit: 1000, includeBodies: false } });
  const all = ((await page.json()) as { data: RequestItem[] }).data;
  items = all.filter((item) => timeOf(item) >= start && timeOf(item) <= end);
});
afterAll(() => rig.close());

type Given = Parameters<ApiRig['call']>[2];
const timeOf = (item: RequestItem): number => Date.parse(item.request_created_at);
const post = (path: string, body: unknown, given: Given = {}): Promise<Response> => rig.call('POST', `/v1/${path}`, { ...given, body });
const metric = async (name: string, body: unknown, given: Given = {}): Promise<unknown> => {
  const { answer, shape } = namedMetrics.find((each) => each.name === name) ?? {};
  if (answer === undefined || shape === undefined) throw new TypeError(`There is no metric ${name}.`);
  return rounded((await checked(await post(`metrics/${name}`, body, given), 200, namedMetricsAnswerSchema(name, answer, shape))).data);
};

/** Numbers to twelve digits: sums of JSON numbers differ in the last one. */
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, one: unknown) => (typeof one === 'number' ? Number(one.toPrecision(12)) : one));
}

const sum = (values: readonly (number | null)[]): number => values.reduce<number>((total, value) => total + (value ?? 0), 0);
const numbers = (values: readonly (number | null)[]): readonly number[] => values.filter((value) => value !== null);
const average = (values: readonly (number | null)[]): number => {
  const present = numbers(values);
  return present.length === 0 ? 0 : sum(present) / present.length;
};

/** By linear interpolation between the two values around the place. */
function quantile(values: readonly (number | null)[], share: number): number {
  const sorted = numbers(values).toSorted((left, right) => left - right);
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return low + (high - low) * (place - Math.floor(place));
}

function groupsOf<Key>(
  from: readonly RequestItem[],
  keyOfItem: (item: RequestItem) => Key,
): readonly (readonly [Key, readonly RequestItem[]])[] {
  const groups = new Map<Key, RequestItem[]>();
  for (const item of from) groups.set(keyOfItem(item), [...(groups.get(keyOfItem(item)) ?? []), item]);
  return [...groups];
}

/** Buckets by the start of a day or an hour in UTC, in the order of time. */
function buckets(from: readonly RequestItem[], length: number): readonly (readonly [time: string, own: readonly RequestItem[]])[] {
  return groupsOf(from, (item) => new Date(Math.floor(timeOf(item) / length) * length).toISOString()).toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  );
}

const matching = (): readonly RequestItem[] => items.filter((item) => item.response_status !== 404);
const failed = ({ response_status: status }: RequestItem): boolean => status < 200 || status >= 400;
const users = (own: readonly RequestItem[]): number => new Set(own.map((item) => item.request_user_id).filter((user) => user !== '')).size;

/** Every total and series, recomputed from items. */
const figures: Readonly<Record<string, (own: readonly RequestItem[]) => Readonly<Record<string, number>>>> = {
  requestOverTime: (own) => ({ count: own.length }),
  costOverTime: (own) => ({ cost: sum(own.map((item) => item.cost)) }),
  tokensOverTime: (own) => ({
    prompt_tokens: sum(own.map((item) => item.prompt_tokens)),
    completion_tokens: sum(own.map((item) => item.completion_tokens)),
  }),
  detailedTokensOverTime: (own) => ({
    prompt_tokens: sum(own.map((item) => item.prompt_tokens)),
    completion_tokens: sum(own.map((item) => item.completion_tokens)),
    reasoning_tokens: sum(own.map((item) => item.reasoning_tokens)),
    prompt_cache_read_tokens: sum(own.map((item) => item.prompt_cache_read_tokens)),
    prompt_cache_write_tokens: sum(own.map((item) => item.prompt_cache_write_tokens)),
  }),
  latencyOverTime: (own) => ({ duration: average(own.map((item) => item.latency)) }),
  timeToFirstToken: (own) => ({ ttft: average(own.map((item) => item.time_to_first_token)) }),
  usersOverTime: (own) => ({ count: users(own) }),
  threatsOverTime: (own) => ({ count: own.filter((item) => item.threat === true).length }),
  errorOverTime: (own) => ({ count: own.filter((item) => failed(item)).length }),
};

const totals: Readonly<Record<string, (own: readonly RequestItem[]) => unknown>> = {
  totalRequests: (own) => own.length,
  requestCount: (own) => own.length,
  totalCost: (own) => sum(own.map((item) => item.cost)),
  averageLatency: (own) => average(own.map((item) => item.latency)),
  averageTimeToFirstToken: (own) => average(own.map((item) => item.time_to_first_token)),
  totalThreats: (own) => own.filter((item) => item.threat === true).length,
  activeUsers: users,
  averageTokensPerRequest: (own) => ({
    average_prompt_tokens_per_response: sum(own.map((item) => item.prompt_tokens)) / own.length,
    average_completion_tokens_per_response: sum(own.map((item) => item.completion_tokens)) / own.length,
    average_total_tokens_per_response: sum(own.map((item) => item.total_tokens)) / own.length,
  }),
};

const byKey = (list: readonly unknown[]): readonly string[] => list.map((row) => JSON.stringify(row)).toSorted();

describe(`POST /v1/metrics/<name> (seed ${seed})`, () => {
  test.each(Object.entries(totals))('%s is that of the requests in the range that match', async (name, expected) => {
    expect(await metric(name, { filter, timeFilter })).toEqual(rounded(expected(matching())));
    expect(await metric(name, { timeFilter })).toEqual(rounded(expected(items)));
  });

  test.each(Object.entries(figures))('%s has a row for each bucket', async (name, expected) => {
    for (const [dbIncrement, length] of [
      ['day', day],
      ['hour', hour],
    ] as const) {
      const rows = buckets(matching(), length).map(([time, own]) => ({ time, ...expected(own) }));
      expect(await metric(name, { filter, timeFilter, dbIncrement })).toEqual(rounded(rows));
    }
  });

  test('requestStatusOverTime has a row for each status in a bucket', async () => {
    const rows = buckets(matching(), day).flatMap(([time, own]) =>
      groupsOf(own, (item) => item.response_status).map(([status, some]) => ({ time, status, count: some.length })),
    );
    expect(byKey((await metric('requestStatusOverTime', { filter, timeFilter, dbIncrement: 'day' })) as unknown[])).toEqual(byKey(rows));
  });

  test('modelUsageOverTime has a row for each model in a bucket', async () => {
    const rows = buckets(matching(), day).flatMap(([time, own]) =>
      groupsOf(own, (item) => item.model).map(([model, some]) => ({
        time,
        model,
        request_count: some.length,
        total_tokens: sum(some.map((item) => item.total_tokens)),
      })),
    );
    expect(byKey((await metric('modelUsageOverTime', { filter, timeFilter, dbIncrement: 'day' })) as unknown[])).toEqual(byKey(rows));
  });

  test('a series is by the hour unless it is asked by another bucket, a year too', async () => {
    const hours = buckets(matching(), hour).map(([time, own]) => ({ time, count: own.length }));
    expect(await metric('requestOverTime', { filter, timeFilter })).toEqual(hours);
    const years = [{ time: `${new Date(noon).getUTCFullYear()}-01-01T00:00:00.000Z`, count: matching().length }];
    expect(await metric('requestOverTime', { filter, timeFilter, dbIncrement: 'year' })).toEqual(years);
    const own = await post('metrics/query', { metrics: ['count'], interval: 'year' });
    expect((await checked(own, 422, problemSchema)).details).toEqual({ path: 'interval' });
  });

  test('requestCount counts answers from the response cache when it is asked to', async () => {
    const cached = matching().filter((item) => item.cached).length;
    expect(cached).toBeGreaterThan(0);
    expect(await metric('requestCount', { filter, timeFilter, isCached: true })).toBe(cached);
    expect(await metric('requestCount', { filter, timeFilter, isCached: false })).toBe(matching().length);
  });

  test('says why it shows nothing', async () => {
    const body = { filter: { request_response_rmt: { properties: { team: { equals: 'team 1' } } } } };
    expect((await post('metrics/totalCost', body)).headers.get('svc-hint')).toContain('there is one named "Team"');
    expect((await post('property/team/top-costs/query', {})).headers.get('svc-hint')).toContain('there is one named "Team"');
  });

  test('quantiles of latency and time to first token', async () => {
    for (const name of ['latency', 'time_to_first_token'] as const) {
      const rows = buckets(matching(), day).map(([time, own]) => {
        const at = (share: number): number =>
          quantile(
            own.map((item) => item[name]),
            share,
          );
        return { time, p75: at(0.75), p90: at(0.9), p95: at(0.95), p99: at(0.99) };
      });
      expect(await metric('quantiles', { filter, timeFilter, metric: name, dbIncrement: 'day' })).toEqual(rounded(rows));
    }
  });

  test('models and country have the most frequent first, by pages', async () => {
    const models = groupsOf(matching(), (item) => item.model).map(([model, own]) => ({
      model,
      total_requests: own.length,
      total_completion_tokens: sum(own.map((item) => item.completion_tokens)),
      total_prompt_token: sum(own.map((item) => item.prompt_tokens)),
      total_tokens: sum(own.map((item) => item.total_tokens)),
      cost: sum(own.map((item) => item.cost)),
    }));
    const byModel = models.toSorted((left, right) => right.total_requests - left.total_requests || (left.model < right.model ? -1 : 1));
    expect(await metric('models', { filter, timeFilter })).toEqual(rounded(byModel));
    expect(await metric('models', { filter, timeFilter, offset: 1, limit: 1 })).toEqual(rounded(byModel.slice(1, 2)));
    const countries = groupsOf(matching(), (item) => item.country_code ?? '').map(([country, own]) => ({
      country,
      total_requests: own.length,
    }));
    expect(await metric('country', { filter, timeFilter })).toEqual(
      countries.toSorted((left, right) => right.total_requests - left.total_requests || (left.country < right.country ? -1 : 1)),
    );
  });

  test('counts nothing of another organisation, and says how fresh it is', async () => {
    const [ours, foreign] = [await metric('totalRequests', {}), await metric('totalRequests', {}, { api: theirs })];
    expect(Number(ours)).toBeGreaterThan(Number(foreign));
    expect(Number(foreign)).toBeGreaterThan(0);
    expect((await post('metrics/totalRequests', {})).headers.get('svc-fresh-until')).toMatch(/^20.*Z$/);
    for (const { name } of namedMetrics) expect((await post(`metrics/${name}`, {}, { key: keyOf('w') })).status).toBe(403);
  });

  test.each([
    ['totalCost', { timeFilter: { start: 'soon' } }, 'timeFilter.start'],
    ['costOverTime', { dbIncrement: 'decade' }, 'dbIncrement'],
    ['costOverTime', { timeZoneDifference: 2000 }, 'timeZoneDifference'],
    ['quantiles', { metric: 'cost' }, 'metric'],
    ['models', { limit: 10_001 }, 'limit'],
    ['requestCount', { isCached: 'yes' }, 'isCached'],
    ['totalCost', { filter: { request_response_rmt: { spend: { gt: 1 } } } }, 'filter.request_response_rmt.spend'],
  ])('%s is 422 for %j', async (name, body, path) => {
    expect((await checked(await post(`metrics/${name}`, body), 422, problemSchema)).details).toEqual({ path });
  });
});

const team = (item: RequestItem): string => (item.properties as Readonly<Record<string, string>>)['Team'] ?? '';
const withTeam = (): readonly RequestItem[] => items.filter((item) => team(item) !== '');

describe('a property', () => {
  test('has its ten most expensive and most frequent values, and the rest as Other; all add up to the whole', async () => {
    const costs = (await checked(await post('property/Team/top-costs/query', { timeFilter }), 200, topCostsAnswerSchema)).data;
    const expected = groupsOf(withTeam(), team).map(([value, own]) => ({ value, cost: sum(own.map((item) => item.cost)) }));
    const ranked = expected.toSorted((left, right) => right.cost - left.cost || (left.value < right.value ? -1 : 1));
    const other = { value: 'Other', cost: sum(ranked.slice(10).map(({ cost }) => cost)) };
    expect(rounded(costs)).toEqual(rounded([...ranked.slice(0, 10), other]));
    const units = (list: readonly { readonly cost: number | null }[]): number => sum(list.map(({ cost }) => Math.round((cost ?? 0) * 1e6)));
    expect(units(costs)).toBe(units(withTeam()));

    const counts = (await checked(await post('property/Team/top-requests/query', { timeFilter }), 200, topRequestsAnswerSchema)).data;
    expect(counts).toHaveLength(11);
    expect(counts.at(-1)?.value).toBe('Other');
    expect(sum(counts.map(({ count }) => count))).toBe(withTeam().length);
    for (const { value, count } of counts.slice(0, 10)) expect(count).toBe(withTeam().filter((item) => team(item) === value).length);
    expect(counts.slice(0, 10).map(({ count }) => count)).toEqual(
      counts
        .slice(0, 10)
        .map(({ count }) => count)
        .toSorted((a, b) => b - a),
    );
  });

  test('with at most ten values has no Other, and one that nobody has is empty', async () => {
    const few = { timeFilter: { start: timeFilter.start, end: Math.min(...withTeam().map((item) => timeOf(item))) } };
    const counts = (await checked(await post('property/Team/top-requests/query', few), 200, topRequestsAnswerSchema)).data;
    expect(counts).toEqual([{ value: expect.stringMatching(/^team/) as string, count: 1 }]);
    expect((await checked(await post('property/Nobody/top-costs/query', {}), 200, topCostsAnswerSchema)).data).toEqual([]);
  });

  test('over time has cost and requests of each value in each bucket', async () => {
    const body = { propertyKey: 'Team', timeFilter, userFilter: filter, dbIncrement: 'day', timeZoneDifference: 0 };
    const rows = (await checked(await post('property/properties/over-time', body), 200, propertyOverTimeAnswerSchema)).data;
    const own = withTeam().filter((item) => item.response_status !== 404);
    const expected = buckets(own, day).flatMap(([time, some]) =>
      groupsOf(some, team).map(([property, each]) => ({
        property,
        total_cost: sum(each.map((item) => item.cost)),
        request_count: each.length,
        created_at_trunc: time,
      })),
    );
    const inOrder = (list: readonly (typeof rows)[number][]): unknown =>
      rounded(list.toSorted((left, right) => (left.created_at_trunc + left.property < right.created_at_trunc + right.property ? -1 : 1)));
    expect(inOrder(rows)).toEqual(inOrder(expected));
    expect((await checked(await post('property/properties/over-time', {}), 422, problemSchema)).details).toEqual({ path: 'propertyKey' });
  });
});
