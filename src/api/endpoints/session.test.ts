import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { doneSchema } from '../../contract/responses.ts';
import { changesAnswerSchema } from '../../contract/requests/changes.ts';
import { problemSchema } from '../../contract/problem.ts';
import { requestQueryAnswerSchema } from '../../contract/requests/query.ts';
import { sessionAnswerSchema, type SessionNode } from '../../contract/sessions/view.ts';
import { sessionTagAnswerSchema } from '../../contract/sessions/writes.ts';
import type { RequestId } from '../../model/ids.ts';
import { moneyOfUsd } from '../../model/pricing/money.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { idAt, noon } from '../../query/testing/query-harness.ts';
import { type ApiRig, changesPath, checked, keyOf, openApiRig, propertyPath, queryPath } from '../testing/api-harness.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

const pathOf = (sessionId: string, rest = ''): string => `/v1/session/${encodeURIComponent(sessionId)}${rest}`;
let records = 0;

/** A record of a session, so many milliseconds after noon. */
function recordIn(
  sessionId: string,
  ms: number,
  extra: Partial<RequestRecord> = {},
): Partial<RequestRecord> & { readonly requestId: RequestId } {
  records += 1;
  const properties = new Map([['Svc-Session-Id', sessionId], ...(extra.properties ?? [])]);
  return { requestId: idAt(noon + ms, records), createdAt: noon + ms, sessionId, ...extra, properties };
}

/** A time so many milliseconds after noon, as answers write it. */
const at = (ms: number): string => new Date(noon + ms).toISOString();

async function tagOf(sessionId: string): Promise<string | null> {
  return (await checked(await rig.call('GET', pathOf(sessionId, '/tag')), 200, sessionTagAnswerSchema)).data;
}

async function read(sessionId: string, query = '') {
  const response = await rig.call('GET', pathOf(sessionId, query));
  const { data } = await checked(response, 200, sessionAnswerSchema);
  return { ...data, cursor: response.headers.get('svc-next-cursor'), hint: response.headers.get('svc-hint') };
}

async function done(method: string, path: string, body: unknown): Promise<void> {
  expect(await checked(await rig.call(method, path, { body }), 200, doneSchema)).toEqual({ data: null, error: null });
}

async function idsOf(filter: unknown): Promise<string[]> {
  const { data } = await checked(await rig.call('POST', queryPath, { body: { filter } }), 200, requestQueryAnswerSchema);
  return data.map(({ request_id: id }) => id);
}

async function refused(method: string, path: string, body?: unknown): Promise<{ status: number; error: string; path: unknown }> {
  const response = await rig.call(method, path, body === undefined ? {} : { body });
  const problem = await checked(response, response.status, problemSchema);
  return { status: response.status, error: problem.error, path: problem.details?.['path'] };
}

const outline = ({ path, request_ids: ids, children }: SessionNode): unknown => [path, ids, ...children.map(outline)];

describe('GET /v1/session/{id}', () => {
  test('shows the session over all its requests', async () => {
    const usage = { ...unreportedUsage, promptTokens: 5, completionTokens: 2 };
    const first = recordIn('whole', 0, { sessionName: 'older', userId: 'b', cost: moneyOfUsd(0.1) ?? null, latencyMs: 10, usage });
    const second = recordIn('whole', 5, {
      userId: 'a',
      properties: new Map([['Team', 'x']]),
      cost: moneyOfUsd(0.2) ?? null,
      latencyMs: 30,
    });
    const third = recordIn('whole', 9, {
      sessionName: 'newer',
      userId: 'b',
      properties: new Map(Object.entries({ Team: 'y', empty: '' })),
      usage,
    });
    await rig.insert([third, first, second]);
    const { session, requests } = await read('whole');
    expect(session).toEqual({
      session_id: 'whole',
      session_name: 'newer',
      created_at: new Date(noon).toISOString(),
      latest_request_created_at: new Date(noon + 9).toISOString(),
      last_used: new Date(noon + 9).toISOString(),
      total_cost: 0.3,
      total_requests: 3,
      failed: 0,
      prompt_tokens: 10,
      completion_tokens: 4,
      total_tokens: 14,
      avg_latency: 20,
      user_ids: ['a', 'b'],
      properties: { 'Svc-Session-Id': 'whole', Team: 'y', empty: '' },
      session_tag: null,
    });
    expect(requests.map(({ request_id: id }) => id)).toEqual([first, second, third].map(({ requestId }) => requestId));
  });

  test('shows requests of one millisecond by their identifiers', async () => {
    const tied = [1, 2, 3].map(() => recordIn('tied', 0));
    await rig.insert(tied.toReversed());
    expect((await read('tied')).requests.map(({ request_id: id }) => id)).toEqual(tied.map(({ requestId }) => requestId));
  });

  test('makes a tree of the paths: nodes between, one node for a repeated path, the root for none, odd paths as they are meant', async () => {
    const paths = ['/plan/search/rank', '/plan/search', 'plan//search/', '', '/', '/answer', '/Plan', '/a b/ü'];
    const made = paths.map((sessionPath, index) => recordIn('tree', index, { sessionPath }));
    await rig.insert(made);
    const ids = made.map(({ requestId }) => requestId);
    const { tree, requests } = await read('tree');
    expect(requests).toHaveLength(paths.length);
    expect(tree.map(outline)).toEqual([
      [
        '/',
        [ids[3], ids[4]],
        ['/plan', [], ['/plan/search', [ids[1], ids[2]], ['/plan/search/rank', [ids[0]]]]],
        ['/answer', [ids[5]]],
        ['/Plan', [ids[6]]],
        ['/a b', [], ['/a b/ü', [ids[7]]]],
      ],
    ]);
    expect(tree[0]?.children.map(({ name, totals }) => [name, totals.requests])).toEqual([
      ['plan', 3],
      ['answer', 1],
      ['Plan', 1],
      ['a b', 1],
    ]);
  });

  test('totals of a node are over what is below it too', async () => {
    const usage = { ...unreportedUsage, promptTokens: 1, completionTokens: 2 };
    const common = { cost: moneyOfUsd(0.000000000001) ?? null, usage };
    await rig.insert([
      recordIn('totals', 0, { ...common, sessionPath: '/a', latencyMs: 100 }),
      recordIn('totals', 50, { ...common, sessionPath: '/a/b', latencyMs: 200, failure: { kind: 'stream', type: '', message: '' } }),
      recordIn('totals', 60, { ...common, sessionPath: '/c' }),
    ]);
    const [root] = (await read('totals')).tree;
    const [a, c] = root?.children ?? [];
    expect(root?.totals).toEqual({
      requests: 3,
      failed: 1,
      cost: 3e-12,
      prompt_tokens: 3,
      completion_tokens: 6,
      total_tokens: 9,
      avg_latency: 150,
      duration: 250,
      created_at: at(0),
    });
    expect(a?.totals).toMatchObject({ requests: 2, cost: 2e-12, total_tokens: 6, avg_latency: 150, duration: 250, created_at: at(0) });
    expect(a?.children[0]?.totals).toMatchObject({ failed: 1, avg_latency: 200, duration: 200, created_at: at(50) });
    expect(c?.totals).toMatchObject({ failed: 0, avg_latency: 0, duration: 0, created_at: at(60) });
  });

  test('pages by cursor whatever arrives meanwhile, and each page has the whole tree with its own requests', async () => {
    const made = Array.from({ length: 5 }, (_, index) => recordIn('paged', index * 10, { sessionPath: `/step-${index % 2}` }));
    const ids = made.map(({ requestId }) => requestId);
    await rig.insert(made);
    const first = await read('paged', '?limit=2');
    expect(first.requests.map(({ request_id: id }) => id)).toEqual(ids.slice(0, 2));
    await rig.insert([recordIn('paged', 5)]);
    const second = await read('paged', `?limit=2&cursor=${first.cursor}`);
    expect(second.requests.map(({ request_id: id }) => id)).toEqual(ids.slice(2, 4));
    expect(second.tree[0]?.children.flatMap(({ request_ids: own }) => own)).toEqual(ids.slice(2, 4));
    expect([first, second].map(({ session, tree }) => [session.total_requests, tree[0]?.totals.requests])).toEqual([
      [5, 5],
      [6, 6],
    ]);
    const last = await read('paged', `?limit=2&cursor=${second.cursor}`);
    expect([last.requests.map(({ request_id: id }) => id), last.cursor]).toEqual([ids.slice(4), null]);
    expect((await read('paged', '?limit=6')).cursor).toBeNull();
  });

  test('has no bodies unless they are asked for', async () => {
    await rig.insert([
      recordIn('bodies', 0, { requestBody: { kind: 'json', text: '{"a":1}' }, responseBody: { kind: 'text', text: 'b' } }),
    ]);
    expect((await read('bodies')).requests[0]).toMatchObject({ request_body: null, response_body: null });
    expect((await read('bodies', '?includeBody=true')).requests[0]).toMatchObject({ request_body: { a: 1 }, response_body: 'b' });
  });

  test.each([
    'a/b',
    '/',
    'a b+c',
    '%2F',
    '100%',
    'Ünï 日本 😀',
    "it's",
    '{id}',
    'a?b#c',
    '\u0000\n',
    'x'.repeat(2000),
    'tag',
    'query',
    'count',
    'name',
    '__proto__',
  ])('takes any identifier: %j', async (sessionId) => {
    await rig.insert([recordIn(sessionId, 0)]);
    expect((await read(sessionId)).session).toMatchObject({ session_id: sessionId, total_requests: 1 });
    await done('POST', pathOf(sessionId, '/tag'), { tag: 'seen' });
    expect((await read(sessionId)).session.session_tag).toBe('seen');
  });

  test('404 for a session without a request, of another organisation, or on its way, which a header says', async () => {
    await rig.insert([{ ...recordIn('theirs', 0), organizationId: idAt(0, 9) }]);
    for (const sessionId of ['nowhere', 'theirs', 'long '.repeat(100)]) {
      expect(await refused('GET', pathOf(sessionId))).toMatchObject({
        status: 404,
        error: expect.stringMatching(/^No session "/) as string,
      });
      expect((await rig.call('GET', pathOf(sessionId, '/tag'))).status).toBe(404);
    }
    const response = await rig.call('GET', pathOf('on its way'));
    expect([response.status, response.headers.get('svc-hint')]).toEqual([404, expect.stringContaining('is on its way to the store')]);
  });

  test.each([
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?limit=x', 'limit'],
    ['?cursor=x', 'cursor'],
    ['?includeBody=maybe', 'includeBody'],
  ])('422 for %s', async (query, path) => {
    expect(await refused('GET', pathOf('whole', query))).toMatchObject({ status: 422, path });
  });

  test('a cursor belongs to its session', async () => {
    const { cursor } = await read('paged', '?limit=1');
    expect(await refused('GET', pathOf('whole', `?cursor=${cursor}`))).toMatchObject({ status: 422, path: 'cursor' });
  });
});

describe('the tag of a session', () => {
  test('is set, replaced and taken away', async () => {
    await rig.insert([recordIn('tagged', 0)]);
    expect(await tagOf('tagged')).toBeNull();
    for (const tag of ['reviewed', 'x'.repeat(256), '😀'.repeat(256), 'ß']) {
      await done('POST', pathOf('tagged', '/tag'), { tag, more: 'ignored' });
      expect([await tagOf('tagged'), (await read('tagged')).session.session_tag]).toEqual([tag, tag]);
    }
    for (const tag of ['', null]) {
      await done('POST', pathOf('tagged', '/tag'), { tag: 'again' });
      await done('POST', pathOf('tagged', '/tag'), { tag });
      expect([await tagOf('tagged'), (await read('tagged')).session.session_tag]).toEqual([null, null]);
    }
  });

  test('is what filters read as session_tag', async () => {
    const made = [recordIn('filtered', 0), recordIn('filtered', 1)];
    await rig.insert(made);
    const filter = { sessions_request_response_rmt: { session_tag: { equals: 'to be found' } } };
    expect(await idsOf(filter)).toEqual([]);
    await done('POST', pathOf('filtered', '/tag'), { tag: 'to be found' });
    expect(await idsOf(filter)).toEqual(made.map(({ requestId }) => requestId).toReversed());
    await done('POST', pathOf('filtered', '/tag'), { tag: null });
    expect(await idsOf(filter)).toEqual([]);
  });

  test.each([[{}], [{ tag: 1 }], [{ tag: 'x'.repeat(257) }]])('422 for %j', async (body) => {
    expect(await refused('POST', pathOf('whole', '/tag'), body)).toMatchObject({ status: 422, path: 'tag' });
  });

  test('404 for a session without a request; one on its way takes it', async () => {
    expect(await refused('POST', pathOf('nowhere', '/tag'), { tag: 'x' })).toMatchObject({ status: 404 });
    await done('POST', pathOf('on its way', '/tag'), { tag: 'early' });
  });

  test('a key that may only read is refused', async () => {
    const given = { key: keyOf('r'), body: { tag: 'x' } };
    expect((await rig.call('POST', pathOf('whole', '/tag'), given)).status).toBe(403);
    expect((await rig.call('GET', pathOf('whole', '/tag'), { key: keyOf('r') })).status).toBe(200);
    expect((await rig.call('POST', pathOf('whole', '/feedback'), { ...given, body: { rating: true } })).status).toBe(403);
    expect((await rig.call('PUT', pathOf('whole', '/property'), { ...given, body: { a: 'b' } })).status).toBe(403);
  });
});

describe('POST /v1/session/{id}/feedback', () => {
  test('is a property of the first request, seen by the next read and in its history', async () => {
    const made = [recordIn('rated', 7), recordIn('rated', 3), recordIn('rated', 5)];
    await rig.insert(made);
    await done('POST', pathOf('rated', '/feedback'), { rating: true });
    expect((await read('rated')).requests.map(({ properties }) => properties['Svc-Session-Feedback'])).toEqual(['1', undefined, undefined]);
    await done('POST', pathOf('rated', '/feedback'), { rating: false });
    expect((await read('rated')).session.properties['Svc-Session-Feedback']).toBe('0');
    for (const name of ['Svc-Session-Feedback', 'Helicone-Session-Feedback']) {
      expect(await idsOf({ request_response_rmt: { properties: { [name]: { equals: '0' } } } })).toEqual([made[1]?.requestId]);
    }
    const { data } = await checked(await rig.call('GET', changesPath(made[1]?.requestId ?? '')), 200, changesAnswerSchema);
    expect(data.map(({ kind, name, old, new: after }) => [kind, name, old, after])).toEqual([
      ['property', 'Svc-Session-Feedback', '1', '0'],
      ['property', 'Svc-Session-Feedback', null, '1'],
    ]);
  });

  test('is refused for a session without a request, and for what is no rating', async () => {
    expect(await refused('POST', pathOf('nowhere', '/feedback'), { rating: true })).toMatchObject({ status: 404 });
    expect(await refused('POST', pathOf('rated', '/feedback'), { rating: 1 })).toMatchObject({ status: 422, path: 'rating' });
  });

  test('a request on its way may be the first', async () => {
    const response = await rig.call('POST', pathOf('on its way', '/feedback'), { body: { rating: true } });
    expect(response.status).toBe(200);
  });
});

describe('PUT /v1/session/{id}/property', () => {
  test('sets properties on every request, and each later read sees them', async () => {
    const made = [0, 1, 2].map((ms) =>
      recordIn('changed', ms, {
        properties: new Map([
          ['Team', `t-${ms}`],
          ['kept', 'k'],
        ]),
      }),
    );
    const other = recordIn('unchanged', 0);
    await rig.insert([...made, other]);
    await done('PUT', pathOf('changed', '/property'), { Team: 'all', __proto__x: '日本' });
    const { session, requests } = await read('changed');
    for (const { properties } of requests) expect(properties).toMatchObject({ Team: 'all', kept: 'k', __proto__x: '日本' });
    expect(session.properties).toMatchObject({ Team: 'all', kept: 'k' });
    expect(await idsOf({ request_response_rmt: { properties: { Team: { equals: 'all' } } } })).toHaveLength(3);
    expect((await read('unchanged')).requests[0]?.properties).toEqual({ 'Svc-Session-Id': 'unchanged' });
    await done('PUT', pathOf('changed', '/property'), { key: 'Team', value: 'older form' });
    expect((await read('changed')).session.properties['Team']).toBe('older form');
  });

  test("the session's name and its requests' paths follow their properties", async () => {
    await rig.insert([recordIn('named', 0), recordIn('named', 1)]);
    await done('PUT', pathOf('named', '/property'), { 'Svc-Session-Name': 'called', 'Svc-Session-Path': '/one' });
    const { session, tree } = await read('named');
    expect([session.session_name, tree[0]?.children.map(({ path, totals }) => [path, totals.requests])]).toEqual(['called', [['/one', 2]]]);
  });

  test("upstream's names of the session headers are ours, of a session and of one request", async () => {
    const made = recordIn('alias', 0);
    await rig.insert([made]);
    await done('PUT', pathOf('alias', '/property'), { 'Helicone-Session-Name': 'renamed', 'Helicone-Session-Path': '/p' });
    const { session, tree } = await read('alias');
    expect([session.session_name, tree[0]?.children.map(({ path }) => path)]).toEqual(['renamed', ['/p']]);
    expect(session.properties).toEqual({ 'Svc-Session-Id': 'alias', 'Svc-Session-Name': 'renamed', 'Svc-Session-Path': '/p' });
    await done('PUT', propertyPath(made.requestId), { key: 'Helicone-Session-Id', value: 'moved' });
    await done('PUT', propertyPath(made.requestId), { 'Helicone-Session-Feedback': '1', 'Svc-Session-Feedback': '1' });
    expect((await read('moved')).session.properties).toMatchObject({ 'Svc-Session-Id': 'moved', 'Svc-Session-Feedback': '1' });
    for (const name of ['Svc-Session-Id', 'Helicone-Session-Id']) {
      expect(await idsOf({ request_response_rmt: { properties: { [name]: { equals: 'moved' } } } })).toEqual([made.requestId]);
      expect(await refused('PUT', pathOf('moved', '/property'), { [name]: 'x' })).toMatchObject({ status: 422, path: name });
    }
    const both = { 'Svc-Session-Name': 'one', 'Helicone-Session-Name': 'other' };
    for (const path of [pathOf('moved', '/property'), propertyPath(made.requestId)]) {
      expect(await refused('PUT', path, both)).toMatchObject({ status: 422, path: 'Helicone-Session-Name' });
    }
    expect((await read('moved')).session.session_name).toBe('renamed');
  });

  test('has one history entry for each name of the call, which every request shows among its own', async () => {
    const made = [recordIn('history', 0), recordIn('history', 1)];
    const id = made[0]?.requestId ?? '';
    await rig.insert(made);
    await done('PUT', propertyPath(id), { Team: 'own' });
    await done('PUT', pathOf('history', '/property'), { Team: 'all', Also: 'new' });
    await done('PUT', propertyPath(id), { Team: 'own again' });
    const changesOf = async (of: string) => (await checked(await rig.call('GET', changesPath(of)), 200, changesAnswerSchema)).data;
    expect((await changesOf(id)).map(({ kind, name, old, new: after, key_id: key }) => [kind, name, old, after, key])).toEqual([
      ['property', 'Team', 'all', 'own again', 'key-1'],
      ['session_property', 'Also', null, 'new', 'key-1'],
      ['session_property', 'Team', null, 'all', 'key-1'],
      ['property', 'Team', null, 'own', 'key-1'],
    ]);
    expect((await changesOf(made[1]?.requestId ?? '')).map(({ name, new: after }) => [name, after])).toEqual([
      ['Also', 'new'],
      ['Team', 'all'],
    ]);
    const late = recordIn('history', 0);
    await rig.insert([late]);
    expect(await changesOf(late.requestId)).toEqual([]);
  });

  test.each([
    [{}, '$'],
    [{ Team: 1 }, 'Team'],
    [{ 'Svc-Session-Id': 'other' }, 'Svc-Session-Id'],
    [{ key: 'Svc-Session-Id', value: 'other' }, 'Svc-Session-Id'],
  ])('422 for %j', async (body, path) => {
    expect(await refused('PUT', pathOf('changed', '/property'), body)).toMatchObject({ status: 422, path });
  });

  test('404 for a session without a request; one on its way takes it', async () => {
    expect(await refused('PUT', pathOf('nowhere', '/property'), { a: 'b' })).toMatchObject({ status: 404 });
    await done('PUT', pathOf('on its way', '/property'), { a: 'b' });
  });
});
