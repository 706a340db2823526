import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiRig, keyOf, openApiRig } from '../api/testing/api-harness.ts';
import { serveApi } from '../api/listen.ts';
import { newId } from '../ingest/testing/ingest-harness.ts';
import { moneyOfUsd } from '../model/pricing/money.ts';
import { closeServer, listening } from '../platform/http/server.ts';
import { and, ApiError, between, createClient, type GatelogClient, or, where, whereUser } from './client.ts';

/** The client against the real API over a real store. */

let rig: ApiRig;
let api: ReturnType<typeof serveApi>;
let apiUrl: string;
let gatelog: GatelogClient;
const noon = Date.UTC(2026, 0, 15, 12);
const ids = Array.from({ length: 25 }, () => newId());

beforeAll(async () => {
  rig = await openApiRig();
  api = serveApi(rig.api, { host: '127.0.0.1', port: 0, keepAliveTimeoutMs: 75_000, clientStallMs: 300_000 });
  apiUrl = await listening(api);
  gatelog = createClient({ apiUrl, apiKey: keyOf('admin') });
  await rig.insert(
    ids.map((requestId, index) => ({
      requestId,
      createdAt: noon + index * 1000,
      model: index % 5 === 0 ? 'dear' : 'cheap',
      userId: `user-${index % 4}`,
      sessionId: index < 20 ? 'client-session' : '',
      sessionPath: index % 2 === 0 ? '/plan' : '/plan/search',
      properties: new Map([['Team', index % 2 === 0 ? 'search' : 'shop']]),
      status: index % 10 === 9 ? 500 : 200,
      latencyMs: 100 + index,
      cost: moneyOfUsd(index % 5 === 0 ? 1.5 : 0.001) ?? null,
    })),
  );
});
afterAll(async () => {
  await closeServer(api, 100);
  await rig.close();
});

async function allOf<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const ours = between('request_created_at', new Date(noon), new Date(noon + 60_000));

describe('requests', () => {
  test('are queried by the builder’s filters, which mean what they say', async () => {
    const filter = and(ours, where('properties.Team', 'equals', 'search'), or(where('cost', 'gt', 1), where('status', 'gte', 500)));
    const { data, totalCount, nextCursor, warnings, hint } = await gatelog.requests.query({ filter }, { includeCount: true });
    expect(data.map(({ request_id: id }) => ids.indexOf(id as (typeof ids)[number]))).toEqual([20, 10, 0]);
    expect({ totalCount, nextCursor, warnings, hint }).toEqual({ totalCount: 3, nextCursor: undefined, warnings: [], hint: undefined });
    expect((await gatelog.requests.count({ filter })).data).toBe(3);
  });

  test('come in pages, each behind the one before, and one by one', async () => {
    const pages = await allOf(gatelog.requests.pages({ filter: ours, limit: 10, sort: { created_at: 'asc' } }, { includeCount: true }));
    expect(pages.map(({ data, totalCount }) => [data.length, totalCount])).toEqual([
      [10, 25],
      [10, 25],
      [5, 25],
    ]);
    const each = await allOf(gatelog.requests.each({ filter: ours, limit: 7, sort: { created_at: 'asc' } }));
    expect(each.map(({ request_id: id }) => id)).toEqual(ids);
    const behind = await allOf(gatelog.requests.each({ filter: ours, sort: { created_at: 'asc' }, cursor: pages[0]?.nextCursor }));
    expect(behind.map(({ request_id: id }) => id)).toEqual(ids.slice(10));
  });

  test('a reader that leaves asks for no further page', async () => {
    const asked: string[] = [];
    const noting = createClient({
      apiUrl,
      apiKey: keyOf('r'),
      fetch: (address, init) => {
        asked.push(address);
        return fetch(address, init);
      },
    });
    for await (const request of noting.requests.each({ filter: ours, limit: 5 })) if (request.request_id === ids[22]) break;
    expect(asked).toHaveLength(1);
  });

  test('are read, changed, scored and explained', async () => {
    const [id = ''] = ids;
    await gatelog.requests.setProperties(id, { Reviewed: 'yes' });
    await gatelog.requests.setScores(id, { accuracy: 0.75 });
    await gatelog.requests.giveFeedback(id, true);
    const { data } = await gatelog.requests.get(id, { includeBody: false });
    expect(data).toMatchObject({ properties: { Team: 'search', Reviewed: 'yes' }, scores: { accuracy: 0.75 }, feedback_rating: true });
    expect((await gatelog.requests.changes(id, { limit: 2 })).data).toHaveLength(2);
    expect((await gatelog.requests.cost(id)).data).toMatchObject({ total: 1.5 });
    expect((await gatelog.requests.byIds([id])).data).toHaveLength(1);
  });

  test('all that match are changed by a job, which is waited for and undone', async () => {
    const filter = and(ours, where('model', 'equals', 'dear'));
    expect((await gatelog.requests.previewChange({ filter, set: { Tier: 'gold' } })).data).toMatchObject({ total: 5, changing: 5 });
    const { data: job } = await gatelog.requests.change({ filter, set: { Tier: 'gold' } });
    const seen: string[] = [];
    expect(await gatelog.jobs.ended(job, { onProgress: ({ state }) => seen.push(state) })).toMatchObject({ state: 'done', changed: 5 });
    expect(seen.length).toBeGreaterThan(0);
    const { data: undo } = await gatelog.jobs.undo(job.job_id);
    expect(await gatelog.jobs.ended(undo)).toMatchObject({ kind: 'undo', changed: 5 });
    expect((await gatelog.jobs.list({ limit: 1 })).data).toMatchObject([{ job_id: undo.job_id }]);
  });
});

const failing = async (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('a failure', () => {
  test('names the place in the filter', async () => {
    const filter = { left: 'all', operator: 'and', right: { request_response_rmt: { costs: { gt: 1 } } } } as never;
    expect(await failing(gatelog.requests.query({ filter }))).toMatchObject({
      code: 'invalid_filter',
      status: 422,
      place: 'filter.right.request_response_rmt.costs',
    });
  });

  test('is a missing record, a missing key, a key that may not', async () => {
    expect(await failing(gatelog.requests.get(newId()))).toMatchObject({ code: 'not_found', status: 404 });
    expect(await failing(createClient({ apiUrl, apiKey: null }).limits.get())).toMatchObject({
      code: 'missing_key',
      status: 401,
    });
    const reader = createClient({ apiUrl, apiKey: keyOf('r') });
    const error = await failing(reader.keys.list());
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'permission_denied', status: 403 });
  });

  test('is a field that the endpoint does not know, where the client is strict; else it is a warning', async () => {
    const query = { filter: ours, limits: 5 } as unknown as { readonly filter: typeof ours };
    const strict = createClient({ apiUrl, apiKey: keyOf('r'), strict: true });
    expect(await failing(strict.requests.query(query))).toMatchObject({ status: 422, place: 'limits' });
    const { warnings } = await gatelog.requests.query(query);
    expect(warnings).toEqual([expect.stringContaining('limit')]);
  });

  test('an empty answer says why', async () => {
    const { data, hint, warnings } = await gatelog.requests.query({ filter: where('properties.team', 'equals', 'search') });
    expect(data).toEqual([]);
    expect(hint).toContain('Team');
    expect(warnings).toEqual([hint]);
  });
});

test('sessions come with their tree, and their requests in parts', async () => {
  const { data, totalCount } = await gatelog.sessions.query(
    { filter: where('session_session_id', 'equals', 'client-session') },
    { includeCount: true },
  );
  expect([data.map(({ total_requests: requests }) => requests), totalCount]).toEqual([[20], 1]);
  const parts = await allOf(gatelog.sessions.parts('client-session', { limit: 8 }));
  expect(parts.map(({ data: { requests } }) => requests.length)).toEqual([8, 8, 4]);
  expect(parts[0]?.data.tree).toMatchObject([{ path: '/', children: [{ path: '/plan', children: [{ path: '/plan/search' }] }] }]);
  expect(await allOf(gatelog.sessions.requests('client-session', { limit: 8 }))).toHaveLength(20);
  await gatelog.sessions.setTag('client-session', 'good');
  expect((await gatelog.sessions.tag('client-session')).data).toBe('good');
});

test('metrics have what the query names', async () => {
  const query = { metrics: ['count', 'cost'], groupBy: ['properties.Team'], filter: ours, totals: true } as const;
  const { data, freshUntil, approximate } = await gatelog.metrics.query(query);
  const counts = Object.fromEntries(data.map((row) => [row.total === true ? 'total' : row['properties.Team'], row.count])) as unknown;
  expect(counts).toEqual({ search: 13, shop: 12, total: 25 });
  expect([freshUntil, approximate]).toEqual([expect.stringMatching(/Z$/), []]);
  expect((await gatelog.metrics.byName('totalRequests', { filter: ours })).data).toBe(25);
  expect((await gatelog.metrics.describe()).data.intervals).toContain('day');
});

test('users come a page at a time, by their totals too', async () => {
  const filter = and(ours, whereUser('user_total_requests', 'gte', 6));
  const users = await allOf(gatelog.users.each({ filter, limit: 2, sort: { user_id: 'asc' } }));
  expect(users.map(({ user_id: id, total_requests: requests }) => [id, requests])).toEqual([
    ['user-0', 7],
    ['user-1', 6],
    ['user-2', 6],
    ['user-3', 6],
  ]);
});

test('an export is read row by row, and imported again', async () => {
  const rows = await allOf(gatelog.exports.rows({ filter: ours }));
  expect(rows.map(({ request_id: id }) => id).toSorted()).toEqual([...ids].toSorted());
  const { data } = await gatelog.imports.send(rows, { dryRun: true });
  expect(data).toMatchObject({ lines: 25, already_there: 25, dry_run: true });
  const opened = await gatelog.exports.open({ filter: ours, format: 'csv', columns: ['model', 'cost'] }, { includeCount: true });
  expect(opened).toMatchObject({
    totalCount: 25,
    contentType: 'text/csv; charset=utf-8',
    start: undefined,
    end: expect.stringMatching(/Z$/) as string,
  });
  expect((await new Response(opened.body).text()).split('\r\n')[0]).toBe('model,cost');
});

test('all prices are applied, a part at a time', async () => {
  await gatelog.prices.replace([{ model: 'cheap', input: 1, output: 2 }]);
  const reports = await allOf(gatelog.prices.applyAll({ filter: ours, dryRun: true, limit: 10 }));
  expect(reports.map(({ checked }) => checked)).toEqual([10, 10, 5]);
  await gatelog.prices.replace([]);
});

test('settings are read and replaced', async () => {
  expect((await gatelog.limits.replace([{ policy: '10;w=60' }])).data).toEqual([{ policy: '10;w=60', key_id: null }]);
  expect((await gatelog.limits.replace([])).data).toEqual((await gatelog.limits.get()).data);
  expect((await gatelog.redaction.replace([{ kind: 'email' }])).data).toMatchObject([{ kind: 'email', replacement: '[email]' }]);
  await gatelog.redaction.replace([]);
  expect((await gatelog.retention.set(90)).data).toMatchObject({ days: 90 });
  await gatelog.retention.set(null);
  const { data: key } = await gatelog.keys.create({ api_key_name: 'made by the client', key_permissions: 'r' });
  await gatelog.keys.revoke(key.id);
  expect((await gatelog.keys.list({ includeRevoked: true })).data.find(({ id }) => id === key.id)?.revoked_at).toMatch(/Z$/);
  expect((await gatelog.properties.list()).data).toContainEqual({ property: 'Team' });
  expect((await gatelog.properties.search('Team', 'sea')).data).toEqual(['search']);
  expect(await gatelog.monitoring.readiness()).toMatchObject({ status: 'ok' });
});

test('changes of a setting at once lose none of each other', async () => {
  const patterns = ['A-[0-9]', 'B-[0-9]', 'C-[0-9]', 'D-[0-9]'];
  await Promise.all(patterns.map((pattern) => gatelog.redaction.change((present) => [...present, { kind: 'regex', pattern }])));
  const { data: rules } = await gatelog.redaction.change((present) => [...present, { kind: 'email' }]);
  expect(rules.flatMap(({ pattern }) => pattern ?? []).toSorted()).toEqual(patterns);
  await gatelog.redaction.replace([]);
  await Promise.all([1, 2, 3].map((input) => gatelog.prices.change((present) => [...present, { model: `m${input}`, input, output: 1 }])));
  expect((await gatelog.prices.replace((await gatelog.prices.get()).data)).data).toHaveLength(3);
  await gatelog.prices.replace([]);
  const { data: alert } = await gatelog.alerts.add({ name: 'Spend', metric: 'cost', threshold: 20, time_window: 3_600_000 });
  await Promise.all([
    gatelog.alerts.change(alert.id, (present) => ({ ...present, threshold: 25 })),
    gatelog.alerts.change(alert.id, (present) => ({ ...present, mute_until: '2999-01-01T00:00:00.000Z' })),
  ]);
  expect((await gatelog.alerts.get(alert.id)).data).toMatchObject({ threshold: 25, mute_until: '2999-01-01T00:00:00.000Z' });
  await gatelog.alerts.delete(alert.id);
  const { data: webhook } = await gatelog.webhooks.create({ destination: 'https://hooks.example.com/1' });
  await gatelog.webhooks.change(webhook.id, ({ destination }) => ({ destination, enabled: false }));
  expect((await gatelog.webhooks.get(webhook.id)).data.status).toMatchObject({ state: 'disabled' });
  await gatelog.webhooks.delete(webhook.id);
});

test('a board is stored, read and replaced by the version that was read', async () => {
  const panels = [{ title: 'Cost by model', chart: 'bars', metrics: ['cost'], by: ['model', { property: 'Team' }] }] as const;
  const { data: stored } = await gatelog.boards.add({ name: 'Spend', time_range: { last: '7d' }, panels });
  expect((await gatelog.boards.list()).data).toMatchObject([{ id: stored.id, panel_count: 1 }]);
  const { data: read } = await gatelog.boards.get(stored.id);
  expect((await gatelog.boards.replace(read.id, { ...read, panels: [] })).data).toMatchObject({ version: 2, panels: [] });
  await expect(gatelog.boards.replace(read.id, { ...read, name: 'Mine' })).rejects.toMatchObject({
    code: 'changed_meanwhile',
    status: 409,
  });
  await gatelog.boards.delete(read.id);
  await expect(gatelog.boards.get(read.id)).rejects.toMatchObject({ code: 'not_found' });
});

test('a view is saved, renamed and deleted', async () => {
  const { data: saved } = await gatelog.views.add({ name: 'Errors', page: 'requests', search: { q: 'status:>=500', columns: ['cost'] } });
  const { data: renamed } = await gatelog.views.replace(saved.id, { ...saved, name: 'Failures' });
  expect((await gatelog.views.list({ page: 'requests' })).data).toEqual([renamed]);
  await gatelog.views.delete(saved.id);
  expect((await gatelog.views.list()).data).toEqual([]);
});
