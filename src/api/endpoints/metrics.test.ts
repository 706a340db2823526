import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseMoney } from '../../model/pricing/money.ts';
import type { RequestId } from '../../model/ids.ts';
import { failureOfStatus } from '../../model/record/failure.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { metricsBatchAnswerSchema } from '../../contract/metrics/query.ts';
import { type ApiRig, checked, openApiRig } from '../testing/api-harness.ts';

let rig: ApiRig;

const start = Date.UTC(2026, 0, 5, 12);
const costs = ['0.1', '0.2', '0.000000000001', '12345678901234567890.123456789012', null, null] as const;

beforeAll(async () => {
  rig = await openApiRig();
  await rig.insert(
    costs.map((cost, index) => ({
      requestId: `01900000-0000-7000-8000-00000000000${index}` as RequestId,
      createdAt: start + index * 3_600_000,
      model: index % 2 === 0 ? 'gpt-4o-mini' : 'claude-haiku',
      userId: index < 3 ? 'ada' : '',
      properties: new Map(index === 5 ? [] : [['Team', index === 4 ? '' : 'search']]),
      status: index === 5 ? 500 : 200,
      failure: failureOfStatus(index === 5 ? 500 : 200),
      latencyMs: (index + 1) * 100,
      usage: { ...unreportedUsage, promptTokens: 10, completionTokens: index },
      cost: cost === null ? null : (parseMoney(cost) ?? null),
    })),
  );
});
afterAll(async () => rig.close());

const window = { startTimeUnixMs: start, endTimeUnixMs: start + 5 * 3_600_000 };

const hasTeam = (name: string, value = 'search'): object => ({ request_response_rmt: { properties: { [name]: { equals: value } } } });

const inSession = (id: string): object => ({ sessions_request_response_rmt: { session_session_id: { equals: id } } });

async function ask(body: object, key?: string): Promise<{ readonly response: Response; readonly text: string }> {
  const response = await rig.call('POST', '/v1/metrics/query', { body, ...(key === undefined ? {} : { key }) });
  return { response, text: await response.text() };
}

async function dataOf(body: object): Promise<readonly Record<string, unknown>[]> {
  const { response, text } = await ask(body);
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  return (JSON.parse(text) as { data: Record<string, unknown>[] }).data;
}

describe('a metrics query', () => {
  test('without groups is one row, of no requests one of zeros', async () => {
    expect(await dataOf({ metrics: ['count', 'errors', 'error_rate', 'p50_latency', 'users'], ...window })).toEqual([
      { count: 6, errors: 1, error_rate: 1 / 6, p50_latency: 350, users: 1 },
    ]);
    expect(await dataOf({ metrics: ['count', 'cost', 'avg_latency', 'users'], endTimeUnixMs: 0 })).toEqual([
      { count: 0, cost: 0, avg_latency: null, users: 0 },
    ]);
  });

  test('tells what cached input saved, by the rates at which each request was priced', async () => {
    const day = Date.UTC(2026, 2, 1);
    const priced = [
      ['{"table":"price-book","rates":{"input":"3","cache_read":"0.3","output":"15"}}', 1_000_000],
      ['{"table":"price-book","rates":{"input":"0.000000000001","cache_read":"0"}}', 1],
      ['{"table":"price-book","rates":{"input":"3","output":"15"}}', 1_000_000],
      ['', 1_000_000],
      ['{"table":"price-book","rates":{"input":"3","cache_read":"0.3"}}', null],
    ] as const;
    await rig.insert(
      priced.map(([appliedPrice, promptCacheReadTokens], index) => ({
        requestId: `01900000-0000-7000-8000-00000000030${index}` as RequestId,
        createdAt: day + index,
        model: `saving-${index}`,
        usage: { ...unreportedUsage, promptTokens: 2_000_000, promptCacheReadTokens },
        appliedPrice,
      })),
    );
    const asked = { metrics: ['prompt_cache_savings'], startTimeUnixMs: day, endTimeUnixMs: day + 10 };
    const { text } = await ask(asked);
    expect(text).toContain('"prompt_cache_savings":2.700000000000000001');
    const rows = await dataOf({ ...asked, groupBy: ['model'] });
    expect(Object.fromEntries(rows.map((row) => [row['model'], row['prompt_cache_savings']]))).toEqual({
      'saving-0': 2.7,
      'saving-1': 1e-18,
      'saving-2': 0,
      'saving-3': 0,
      'saving-4': 0,
    });
  });

  test('counts as unpriced what used tokens or was answered as a whole, and no step of a tool', async () => {
    const none = { status: 200, cost: null, usage: unreportedUsage };
    const some = { ...none, usage: { ...unreportedUsage, promptTokens: 5 } };
    const broken = { failure: { kind: 'stream' as const, type: '', message: '' } };
    const cases = [
      ['answered', none, 1],
      ['answered-with-error', { ...none, ...broken }, 0],
      ['answered-in-part', { ...some, ...broken }, 1],
      ['left', { ...none, status: 499 }, 0],
      ['left-with-tokens', { ...some, status: 499 }, 1],
      ['refused', { ...none, status: 429, failure: failureOfStatus(429) }, 0],
      ['tool:find', none, 0],
      ['vector_db', none, 0],
    ] as const;
    await rig.insert(
      cases.map(([model, record], index) => ({
        requestId: `01900000-0000-7000-8000-00000000010${index}` as RequestId,
        createdAt: start - 3_600_000,
        sessionId: 'unpriced',
        model,
        ...record,
      })),
    );
    const rows = await dataOf({ metrics: ['unpriced_count'], groupBy: ['model'], filter: inSession('unpriced') });
    const counts = new Map(rows.map(({ model, unpriced_count: count }) => [model, count]));
    expect(counts).toEqual(new Map<unknown, unknown>(cases.map(([model, , count]) => [model, count])));
  });

  test('groups by columns and by properties; an absent value is null, an empty one is not', async () => {
    const rows = await dataOf({ metrics: ['count'], groupBy: ['user', { property: 'Team' }], ...window });
    expect(rows).toEqual([
      { user: 'ada', 'properties.Team': 'search', count: 3 },
      { user: null, 'properties.Team': '', count: 1 },
      { user: null, 'properties.Team': 'search', count: 1 },
      { user: null, 'properties.Team': null, count: 1 },
    ]);
    expect(await dataOf({ metrics: ['count'], groupBy: ['user', 'properties.Team'], ...window })).toEqual(rows);
  });

  test('writes sums with all their digits, and rows and other add up to the total', async () => {
    const { text } = await ask({ metrics: ['cost', 'unpriced_count'], groupBy: ['model'], limit: 1, other: true, totals: true, ...window });
    expect(text).toContain('{"model":"claude-haiku","cost":12345678901234567890.323456789012,"unpriced_count":0}');
    expect(text).toContain('{"other":true,"cost":0.100000000001,"unpriced_count":1}');
    expect(text).toContain('{"total":true,"cost":12345678901234567890.423456789013,"unpriced_count":1}');
  });

  test('has buckets of a time zone, in its time', async () => {
    const berlin = { metrics: ['count'], interval: 'day', timezone: 'Europe/Berlin' };
    expect(await dataOf({ ...berlin, ...window })).toEqual([{ time: '2026-01-05T00:00:00.000+01:00', count: 6 }]);
    expect(await dataOf({ ...berlin, timezone: 'Asia/Tokyo', ...window })).toEqual([
      { time: '2026-01-05T00:00:00.000+09:00', count: 3 },
      { time: '2026-01-06T00:00:00.000+09:00', count: 3 },
    ]);
  });

  test.each([
    ['europe/berlin', '2026-01-05T00:00:00.000+01:00'],
    ['Asia/Kolkata', '2026-01-05T00:00:00.000+05:30'],
    ['Asia/Calcutta', '2026-01-05T00:00:00.000+05:30'],
    ['utc', '2026-01-05T00:00:00.000Z'],
    ['GMT', '2026-01-05T00:00:00.000Z'],
    ['EST5EDT', '2026-01-05T00:00:00.000-05:00'],
  ])('takes a time zone in any case and by any of its names: %s', async (timezone, time) => {
    const rows = await dataOf({ metrics: ['count'], interval: 'day', timezone, endTimeUnixMs: start, startTimeUnixMs: start });
    expect(rows).toEqual([{ time, count: 1 }]);
  });

  test('says that it left rows out, unless a row tells what they make', async () => {
    const cut = await ask({ metrics: ['count'], groupBy: ['status'], limit: 1, ...window });
    expect(cut.response.headers.get('svc-hint')).toContain('there are more than the 1 groups shown');
    const whole = await ask({ metrics: ['count'], groupBy: ['status'], limit: 1, other: true, ...window });
    expect(whole.response.headers.get('svc-hint')).toBeNull();
  });

  test.each([
    ['a property in another case', { filter: hasTeam('team') }, 'there is one named "Team"'],
    ['a mistyped value', { filter: hasTeam('Team', 'serch') }, 'there is "search"'],
    ['a mistyped user', { groupBy: ['model'], filter: { request_response_rmt: { user_id: { equals: 'Ada' } } } }, 'there is "ada"'],
    ['a time without requests', { groupBy: ['model'], endTimeUnixMs: 0 }, 'the record goes from'],
    ['groups by a property in another case', { groupBy: [{ property: 'team' }], ...window }, 'there is one named "Team"'],
    ['an offset behind the last group', { groupBy: ['model'], offset: 50, ...window }, 'offset 50 is past the last group'],
  ])('explains what it does not show: %s', async (_, body, sentence) => {
    const { response, text } = await ask({ metrics: ['cost', 'count'], ...body });
    expect(response.headers.get('svc-hint')).toContain(sentence);
    expect((JSON.parse(text) as { warnings: unknown }).warnings).toEqual([expect.stringContaining(sentence)]);
  });

  test('explains nothing where there is something to show', async () => {
    for (const body of [
      { ...window },
      { groupBy: ['model', { property: 'Team' }], ...window },
      { groupBy: ['model'], limit: 0, other: true },
    ]) {
      expect((await ask({ metrics: ['cost'], ...body })).response.headers.get('svc-hint')).toBeNull();
    }
  });

  test('names unknown fields, and refuses them when it is asked to be strict', async () => {
    const body = { metrics: ['count'], groupby: ['model'], ...window };
    expect((JSON.parse((await ask(body)).text) as { warnings: string[] }).warnings[0]).toContain('Did you mean `groupBy`?');
    const strict = await rig.call('POST', '/v1/metrics/query', { body, headers: { 'Svc-Strict': 'true' } });
    expect([strict.status, await strict.json()]).toEqual([422, expect.objectContaining({ details: { path: 'groupby' } })]);
  });

  test('sees its own organisation alone', async () => {
    const rows = await dataOf({ metrics: ['count'], groupBy: ['key'] });
    const [all] = await dataOf({ metrics: ['count'] });
    expect(rows.reduce((sum, row) => sum + Number(row['count']), 0)).toBe(all?.['count']);
    const found = await rig.call('POST', '/v1/request/count/query', { body: { filter: 'all' } });
    expect(await found.json()).toMatchObject({ data: all?.['count'] });
  });

  test('tells until when every request is counted', async () => {
    const { response } = await ask({ metrics: ['count'] });
    const until = Date.parse(response.headers.get('svc-fresh-until') ?? '');
    expect(until).toBeLessThan(Date.now());
    expect(until).toBeGreaterThan(Date.now() - 60_000);
  });
});

describe('a faulty query is refused with the place and the remedy', () => {
  test.each([
    [{}, 'metrics', 'Known metrics'],
    [{ metrics: ['costs'] }, 'metrics[0]', 'Did you mean `cost`?'],
    [{ metrics: ['count'], groupBy: ['modle'] }, 'groupBy[0]', 'Did you mean `model`?'],
    [{ metrics: ['count'], groupBy: [{ team: 'x' }] }, 'groupBy[0]', '{"property": "Team"}'],
    [{ metrics: ['count'], groupBy: ['model', 'model'] }, 'groupBy[1]', 'twice'],
    [{ metrics: ['count'], groupBy: ['model', 'user', 'status', 'path'] }, 'groupBy', 'at most 3'],
    [{ metrics: ['count'], interval: 'fortnight' }, 'interval', '`week`'],
    [{ metrics: ['count'], timezone: 'Mars/Olympus' }, 'timezone', 'Europe/Berlin'],
    [{ metrics: ['count'], timezone: 'Europe/Berlin', timezoneDifference: 1 }, 'timezoneDifference', 'exclude each other'],
    [{ metrics: ['count'], sort: { time: 'asc' } }, 'sort.time', 'Known keys'],
    [{ metrics: ['count'], sort: { cost: 'down' } }, 'sort.cost', '"asc" or "desc"'],
    [{ metrics: ['count'], limit: 10_001 }, 'limit', '10000'],
    [{ metrics: ['count'], filter: { request_response_rmt: { modell: { equals: 'x' } } } }, 'filter.request_response_rmt', 'model'],
  ])('%j', async (body, place, remedy) => {
    const { response, text } = await ask(body);
    const { error, details } = JSON.parse(text) as { error: string; details: { path: string } };
    expect([response.status, details.path.slice(0, place.length)]).toEqual([422, place]);
    expect(error).toContain(remedy);
  });
});

test('metrics, dimensions, operators and intervals describe themselves', async () => {
  const response = await rig.call('GET', '/v1/metrics/meta');
  const { data } = (await response.json()) as { data: { metrics: { name: string; additive: boolean }[]; dimensions: { name: unknown }[] } };
  expect(data.metrics).toContainEqual(expect.objectContaining({ name: 'cost', unit: 'usd', additive: true }));
  const metrics = data.metrics.slice(0, 20).map(({ name }) => name);
  const names = data.dimensions.map(({ name }) => name).filter((name) => typeof name === 'string');
  for (const name of names) expect([name, (await ask({ metrics, groupBy: [name] })).response.status]).toEqual([name, 200]);
  expect((await ask({ metrics: data.metrics.slice(20, 40).map(({ name }) => name) })).response.status).toBe(200);
  expect((await ask({ metrics: data.metrics.slice(40).map(({ name }) => name) })).response.status).toBe(200);
});

async function sendBatch(queries: unknown): Promise<Response> {
  return rig.call('POST', '/v1/metrics/batch', { body: { queries } });
}

describe('several metrics queries at once', () => {
  test('500: after an error that no caller makes no further query begins, and none goes on behind the answer', async () => {
    let [begun, running] = [0, 0];
    const run: typeof rig.run = async (...asked) => {
      begun += 1;
      running += 1;
      try {
        if (begun === 1) throw new TypeError('unexpected');
        return await rig.run(...asked);
      } finally {
        running -= 1;
      }
    };
    const queries = Array.from({ length: 24 }, () => ({ metrics: ['count'], ...window }));
    const response = await rig.call('POST', '/v1/metrics/batch', { body: { queries }, api: rig.withPorts({ run }) });
    expect([response.status, begun, running]).toEqual([500, 4, 0]);
  });

  test('200: each is answered in its place as it is alone, and one that fails says why', async () => {
    const queries = [
      { metrics: ['count', 'prompt_cache_read_rate'], ...window },
      { metrics: ['nonsense'] },
      { metrics: ['cost'], groupBy: ['model'], totals: true, ...window },
      { metrics: ['count'], interval: '6h', ...window },
      { metrics: ['count'], interval: '3h', timezone: 'Asia/Kolkata', ...window },
    ];
    const { data } = await checked(await sendBatch(queries), 200, metricsBatchAnswerSchema);
    expect(data.map(({ problem }) => problem?.code)).toEqual([undefined, 'invalid_body', undefined, undefined, undefined]);
    for (const index of [0, 2, 3, 4]) expect(data[index]?.rows).toEqual(await dataOf(queries[index] ?? {}));
    expect(data[1]).toMatchObject({ rows: [], problem: { error: expect.stringContaining('nonsense') as string } });
  });

  test.each([
    ['no query', []],
    ['25 queries', Array.from({ length: 25 }, () => ({ metrics: ['count'] }))],
    ['more than 100,000 rows', Array.from({ length: 11 }, () => ({ metrics: ['count'], limit: 10_000 }))],
  ])('422: %s', async (_name, queries) => {
    expect((await sendBatch(queries)).status).toBe(422);
  });
});
