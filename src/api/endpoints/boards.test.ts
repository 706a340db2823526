import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { boardAnswerSchema, boardsAnswerSchema } from '../../contract/dashboard/boards.ts';
import { dashboardLimits } from '../../model/dashboard/limits.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { KeyPermissions } from '../../model/principal.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const path = '/v1/boards';
const panel = { title: 'Cost', chart: 'line', metrics: ['cost'] };
const spend = { time_range: { last: '7d' }, panels: [panel] };

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

async function send(method: string, to: string, body?: unknown, permissions: KeyPermissions = 'rw'): Promise<Response> {
  return rig.call(method, to, { key: keyOf(permissions), ...(body === undefined ? {} : { body }) });
}

let names = 0;

async function add(board: object = {}) {
  names += 1;
  return (await checked(await send('POST', path, { ...spend, name: `Board ${names}`, ...board }), 200, boardAnswerSchema)).data;
}

interface Answered {
  readonly error: string;
  readonly code: string;
  readonly details: { readonly path: string; readonly version?: number };
  readonly warnings?: readonly string[];
}

async function faultOf(response: Response): Promise<readonly [number, string, string]> {
  const { error, details } = (await response.json()) as Answered;
  return [response.status, details.path, error];
}

const whole = {
  title: 'Most expensive teams',
  chart: 'table',
  metrics: ['cost', 'p95_latency'],
  by: ['model', { property: 'Team' }, 'inputs.topic'],
  bucket: 'day',
  filter: { request_response_rmt: { properties: { Environment: { equals: 'production' } } } },
  sort: { time: 'asc', cost: 'desc' },
  limit: 50,
  compare: true,
  width: 3,
};

describe('POST /v1/boards', () => {
  it('200: stores a board, and GET shows what was sent', async () => {
    const board = {
      name: ' Whole ',
      time_range: { startTimeUnixMs: 1_767_225_600_000, endTimeUnixMs: 1_769_904_000_000 },
      panels: [whole, panel],
    };
    const shown = await add(board);
    expect(shown).toMatchObject({ ...board, name: 'Whole', version: 1 });
    expect(shown.panels).toEqual([whole, panel]);
    expect((await checked(await send('GET', `${path}/${shown.id}`, undefined, 'r'), 200, boardAnswerSchema)).data).toEqual(shown);
  });

  it('200: what GET shows can be sent without a warning, and is the same board again', async () => {
    const { id, version, created_at, updated_at, ...content } = await add({ panels: [whole] });
    const response = await send('POST', path, { ...content, id, version, created_at, updated_at, name: 'A copy' });
    const answer = (await response.json()) as Answered & { readonly data: object };
    expect([response.status, answer.warnings]).toEqual([200, undefined]);
    expect(answer.data).toMatchObject({ ...content, name: 'A copy', version: 1 });
  });

  it.each<readonly [string, object]>([
    ['no panel', { panels: [] }],
    ['all time', { time_range: { last: 'all' } }],
    ['the running day', { time_range: { last: 'today' } }],
    ['the running month', { time_range: { last: 'month' } }],
    ['an open range', { time_range: { startTimeUnixMs: 0 } }],
    [
      'a name of the prototype in a filter',
      { panels: [{ ...panel, filter: JSON.parse('{"request_response_rmt":{"properties":{"__proto__":{"equals":"x"}}}}') as object }] },
    ],
  ])('200: %s', async (_, board) => {
    expect(await add(board)).toMatchObject(board);
  });

  it('200: a stored panel is a query that can be asked', async () => {
    const { panels } = await add({ panels: [whole] });
    for (const { metrics, by, bucket, filter, sort, limit } of panels) {
      const response = await send('POST', '/v1/metrics/query', { metrics, groupBy: by, interval: bucket, filter, sort, limit });
      expect(response.status).toBe(200);
    }
  });

  it.each<readonly [string, object, string, RegExp]>([
    ['no name', { name: undefined }, 'name', /1 to 128 characters/],
    ['no range', { time_range: undefined }, 'time_range', /"last": "24h"/],
    ['an empty range', { time_range: {} }, 'time_range', /"last": "24h"/],
    ['a range in weeks', { time_range: { last: '2w' } }, 'time_range.last', /m, h or d/],
    ['a range of nothing', { time_range: { last: '0d' } }, 'time_range.last', /m, h or d/],
    ['both ranges', { time_range: { last: '7d', endTimeUnixMs: 1 } }, 'time_range', /exclude each other/],
    ['a time that no date has', { time_range: { startTimeUnixMs: 1e300 } }, 'time_range.startTimeUnixMs', /Unix milliseconds/],
    ['a range from its end', { time_range: { startTimeUnixMs: 2, endTimeUnixMs: 1 } }, 'time_range', /before it ends/],
    ['no panels', { panels: undefined }, 'panels', /at most 40/],
    ['too many panels', { panels: Array.from({ length: 41 }, () => panel) }, 'panels', /at most 40/],
    ['a panel that is none', { panels: [panel, 'cost'] }, 'panels[1]', /A panel is an object/],
  ])('422 for %s, with the place and the remedy', async (_, board, place, sentence) => {
    expect(await faultOf(await send('POST', path, { ...spend, name: 'Faulty', ...board }))).toEqual([
      422,
      place,
      expect.stringMatching(sentence),
    ]);
  });

  it.each<readonly [string, object, string, RegExp]>([
    ['no title', { title: undefined }, 'title', /1 to 128 characters/],
    ['another chart', { chart: 'pie' }, 'chart', /line, bars, table/],
    ['no metrics', { metrics: undefined }, 'metrics', /\["count", "cost"\]/],
    ['an unknown metric', { metrics: ['cost', 'costs'] }, 'metrics[1]', /Did you mean `cost`\?/],
    ['four dimensions', { by: ['model', 'user', 'session', 'key'] }, 'by', /at most 3 dimensions/],
    ['an unknown dimension', { by: ['modle'] }, 'by[0]', /Did you mean `model`\?/],
    ['a dimension alone', { by: 'model' }, 'by', /`by` takes a list/],
    ['an unknown bucket', { bucket: 'year' }, 'bucket', /`bucket` takes one of/],
    [
      'a filter with two fields',
      { filter: { request_response_rmt: { model: { equals: 'a' }, cost: { gt: 1 } } } },
      'filter.request_response_rmt',
      /two/i,
    ],
    ['an unknown sort key', { sort: { costs: 'desc' } }, 'sort.costs', /Did you mean `cost`\?/],
    ['a sort by the time of no bucket', { sort: { time: 'asc' } }, 'sort.time', /Unknown sort key/],
    ['a limit too high', { limit: 10_001 }, 'limit', /0 to 10000/],
    ['a comparison with something', { compare: '7d' }, 'compare', /true or false/],
    ['another width', { width: 4 }, 'width', /1, 2, 3/],
  ])('422 for a panel with %s', async (_, wrong, place, sentence) => {
    const panels = [panel, { ...panel, ...wrong }];
    expect(await faultOf(await send('POST', path, { ...spend, name: 'Faulty', panels }))).toEqual([
      422,
      `panels[1].${place}`,
      expect.stringMatching(sentence),
    ]);
  });

  it('200: a field that is not known is named with its place, and not stored', async () => {
    const response = await send('POST', path, { ...spend, name: 'Unknown field', panels: [{ ...panel, widht: 2 }] });
    const { warnings, data } = (await response.json()) as Answered & { readonly data: object };
    expect(warnings).toEqual([expect.stringMatching(/"panels\[0\]\.widht" is not a field.*Did you mean `width`\?/)]);
    expect(data).toMatchObject({ panels: [panel] });
  });

  it('422 for a name that is taken', async () => {
    const { name } = await add();
    expect(await faultOf(await send('POST', path, { ...spend, name }))).toEqual([
      422,
      'name',
      expect.stringContaining('write another name'),
    ]);
  });

  it('413 for a body over the limit of a board, below that of the deployment', async () => {
    const api = rig.withPorts({ bodyMaxBytes: 8 * 1024 * 1024 });
    const text = JSON.stringify({ ...spend, name: 'Large' });
    for (const [bytes, status] of [
      [dashboardLimits.boardBytes, 200],
      [dashboardLimits.boardBytes + 1, 413],
    ] as const) {
      const headers = { 'content-length': String(bytes) };
      const response = await rig.call('POST', path, { api, headers, text: text + ' '.repeat(bytes - text.length) });
      expect(response.status).toBe(status);
    }
  });
});

test('GET /v1/boards: 200, by name, without panels', async () => {
  const [second, first] = [await add({ name: 'B of the list' }), await add({ name: 'A of the list', panels: [panel, whole] })];
  const { data } = await checked(await send('GET', path, undefined, 'r'), 200, boardsAnswerSchema);
  const { panels: _panels, time_range: _range, ...rest } = first;
  const listed = data.filter(({ name }) => name.endsWith(' of the list'));
  expect(listed[0]).toEqual({ ...rest, panel_count: 2 });
  expect(listed[1]).toMatchObject({ id: second.id, panel_count: 1 });
});

describe('PUT /v1/boards/{id}', () => {
  it('200: replaces the board that was read, under the next version', async () => {
    const shown = await add();
    const changed = { ...shown, name: 'Changed', time_range: { last: '90d' }, panels: [whole] };
    const { data } = await checked(await send('PUT', `${path}/${shown.id}`, changed), 200, boardAnswerSchema);
    expect(data).toEqual({ ...changed, version: 2, updated_at: data.updated_at });
    expect((await checked(await send('GET', `${path}/${shown.id}`), 200, boardAnswerSchema)).data).toEqual(data);
  });

  it('409 for whoever read an earlier version; the change of the other stays', async () => {
    const read = await add();
    const [theirs, ours] = await Promise.all([
      send('PUT', `${path}/${read.id}`, { ...read, panels: [whole] }),
      send('PUT', `${path}/${read.id}`, { ...read, panels: [] }),
    ]);
    expect(new Set([theirs.status, ours.status])).toEqual(new Set([200, 409]));
    const [stored, refused] = theirs.status === 200 ? [theirs, ours] : [ours, theirs];
    const { code, details, error } = (await refused.json()) as Answered;
    expect([code, details]).toEqual(['changed_meanwhile', { path: 'version', version: 2 }]);
    expect(error).toContain('Read it again');
    const { data } = await checked(stored, 200, boardAnswerSchema);
    expect((await checked(await send('GET', `${path}/${read.id}`), 200, boardAnswerSchema)).data).toEqual(data);
  });

  it('422 without a version, and for the name of another board', async () => {
    const [first, { version, ...second }] = [await add(), await add()];
    expect(await faultOf(await send('PUT', `${path}/${second.id}`, second))).toEqual([
      422,
      'version',
      expect.stringContaining('GET /v1/boards/{id}'),
    ]);
    const taken = await send('PUT', `${path}/${second.id}`, { ...second, version, name: first.name });
    expect(await faultOf(taken)).toEqual([422, 'name', expect.stringContaining('write another name')]);
  });
});

test('DELETE /v1/boards/{id}: 200 once, and 404 from then on', async () => {
  const { id } = await add();
  expect([(await send('DELETE', `${path}/${id}`)).status, (await send('DELETE', `${path}/${id}`)).status]).toEqual([200, 404]);
});

test('403 for a key that may not change anything, or not read', async () => {
  const { id } = await add();
  for (const [permissions, method, to] of [
    ['r', 'POST', path],
    ['r', 'PUT', `${path}/${id}`],
    ['r', 'DELETE', `${path}/${id}`],
    ['w', 'GET', path],
    ['w', 'GET', `${path}/${id}`],
  ] as const) {
    const response = await send(method, to, method === 'GET' ? undefined : { ...spend, name: 'x' }, permissions);
    const { code, error } = (await response.json()) as Answered;
    expect([response.status, code, error]).toEqual([403, 'permission_denied', expect.stringMatching(/the call needs (?:r or )?rw/)]);
  }
});

describe('another organisation', () => {
  const organizationId = '01890000-0000-7000-8000-00000000ffff' as OrganizationId;
  const theirs = (method: string, to: string, body?: unknown): Promise<Response> =>
    rig.call(method, to, {
      api: rig.withPorts({ verifyKey: () => ({ organizationId, keyId: 'k', keyHash: '', permissions: 'admin' }) }),
      ...(body === undefined ? {} : { body }),
    });

  it('sees no board of ours, cannot change one, and has its own names', async () => {
    const shown = await add();
    expect((await checked(await theirs('GET', path), 200, boardsAnswerSchema)).data).toEqual([]);
    for (const id of [shown.id, '01890000-0000-7000-8000-000000000000', 'mine']) {
      for (const method of ['GET', 'PUT', 'DELETE'] as const) {
        const response = await theirs(method, `${path}/${id}`, method === 'PUT' ? { ...shown, name: 'Theirs' } : undefined);
        expect([method, response.status, ((await response.json()) as Answered).error]).toEqual([
          method,
          404,
          'The organisation has no such board; GET /v1/boards lists them.',
        ]);
      }
    }
    expect((await theirs('POST', path, { ...spend, name: shown.name })).status).toBe(200);
    expect((await checked(await send('GET', `${path}/${shown.id}`), 200, boardAnswerSchema)).data).toEqual(shown);
  });
});

const unused = (): Promise<never> => Promise.reject(new Error('is not called'));

test('422 beyond the most boards of an organisation', async () => {
  const boards = { list: unused, find: unused, replace: unused, remove: unused, add: () => Promise.resolve('too_many' as const) };
  const response = await rig.call('POST', path, { api: rig.withPorts({ boards }), body: { ...spend, name: 'One more' } });
  expect(await faultOf(response)).toEqual([422, '$', expect.stringContaining('at most 200 boards; delete one first')]);
});
