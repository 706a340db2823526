import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { viewAnswerSchema, viewsAnswerSchema } from '../../contract/dashboard/views.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { KeyPermissions } from '../../model/principal.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const path = '/v1/views';
const errors = { page: 'requests', search: { q: 'status:>=500', range: '24h' } };

let rig: ApiRig;
beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(async () => rig.close());

async function send(method: string, to: string, body?: unknown, permissions: KeyPermissions = 'rw'): Promise<Response> {
  return rig.call(method, to, { key: keyOf(permissions), ...(body === undefined ? {} : { body }) });
}

let names = 0;

async function add(view: object = {}) {
  names += 1;
  return (await checked(await send('POST', path, { ...errors, name: `View ${names}`, ...view }), 200, viewAnswerSchema)).data;
}

interface Answered {
  readonly error: string;
  readonly code: string;
  readonly details: { readonly path: string };
  readonly warnings?: readonly string[];
}

async function faultOf(body: unknown): Promise<readonly [number, string, string]> {
  const response = await send('POST', path, body);
  const { error, details } = (await response.json()) as Answered;
  return [response.status, details.path, error];
}

describe('POST /v1/views', () => {
  it('200: saves texts, numbers, booleans and lists of texts as they are', async () => {
    const search = {
      q: 'status:>=500 "naïve" \u0000',
      from: 1_767_225_600_000.5,
      wide: true,
      empty: '',
      columns: ['cost', 'user'],
      none: [],
    };
    const shown = await add({ name: ' Errors of the shop ', search });
    expect(shown).toMatchObject({ name: 'Errors of the shop', page: 'requests', search });
    expect((await checked(await send('GET', path, undefined, 'r'), 200, viewsAnswerSchema)).data).toContainEqual(shown);
  });

  it('200: what an answer shows can be sent, and a field that is not known is named', async () => {
    const shown = await add();
    const response = await send('POST', path, { ...shown, name: 'Sent again', serch: {} });
    const { warnings } = (await response.json()) as Answered;
    expect([response.status, warnings]).toEqual([200, [expect.stringContaining('Did you mean `search`?')]]);
    const strict = await rig.call('POST', path, { body: { ...shown, serch: {} }, headers: { 'Svc-Strict': 'true' } });
    expect([strict.status, ((await strict.json()) as Answered).details.path]).toEqual([422, 'serch']);
  });

  it.each<readonly [string, object, string, RegExp]>([
    ['no name', { name: undefined }, 'name', /1 to 128 characters/],
    ['a name of white space', { name: ' \t' }, 'name', /1 to 128 characters/],
    ['a name with a line break', { name: 'a\nb' }, 'name', /control characters/],
    ['a long name', { name: 'ä'.repeat(129) }, 'name', /1 to 128 characters/],
    ['an unknown page', { page: 'users' }, 'page', /requests, sessions, explore/],
    ['no search', { search: undefined }, 'search', /"range": "24h"/],
    ['a list', { search: [] }, 'search', /takes an object/],
    ['an object in it', { search: { filter: {} } }, 'search.filter', /a list of at most 100 texts/],
    ['null in it', { search: { q: null } }, 'search.q', /a text, a number/],
    ['a list of numbers', { search: { columns: [1] } }, 'search.columns', /texts/],
    ['a long list', { search: { columns: Array(101).fill('a') } }, 'search.columns', /at most 100/],
    ['a name that no address has', { search: { 'a b': 1 } }, 'search["a b"]', /begins with a letter/],
    ['a prototype', { search: JSON.parse('{"__proto__": "x"}') as object }, 'search.__proto__', /begins with a letter/],
    ['many parameters', { search: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`a${n}`, n])) }, 'search', /at most 64/],
    ['a large search', { search: { q: 'ä'.repeat(8192) } }, 'search', /16384 bytes/],
  ])('422 for %s, with the place and the remedy', async (_, view, place, sentence) => {
    expect(await faultOf({ ...errors, name: 'Faulty', ...view })).toEqual([422, place, expect.stringMatching(sentence)]);
  });

  it('422 for a number beyond all numbers', async () => {
    const response = await rig.call('POST', path, { text: '{"name": "Far", "page": "explore", "search": {"from": 1e999}}' });
    expect([response.status, ((await response.json()) as Answered).details.path]).toEqual([422, 'search.from']);
  });

  it('422 for a name that is taken on the page; on another page it is free', async () => {
    const { name } = await add();
    expect(await faultOf({ ...errors, name })).toEqual([422, 'name', expect.stringContaining('write another name')]);
    expect((await add({ name, page: 'explore' })).name).toBe(name);
  });
});

describe('GET /v1/views', () => {
  it('200: by page and name, or those of one page', async () => {
    await add({ name: 'b', page: 'sessions' });
    await add({ name: 'a', page: 'sessions' });
    const { data } = await checked(await send('GET', `${path}?page=sessions`, undefined, 'r'), 200, viewsAnswerSchema);
    expect(data.map(({ page, name }) => [page, name])).toEqual([
      ['sessions', 'a'],
      ['sessions', 'b'],
    ]);
  });

  it('422 for an unknown page', async () => {
    const response = await send('GET', `${path}?page=users`);
    expect([response.status, ((await response.json()) as Answered).details.path]).toEqual([422, 'page']);
  });
});

describe('PUT /v1/views/{id}', () => {
  it('200: replaces all but the identifier and the time when it was saved', async () => {
    const shown = await add();
    const changed = { ...shown, name: 'Renamed', page: 'explore', search: { by: ['model'] } };
    const answer = (await checked(await send('PUT', `${path}/${shown.id}`, changed), 200, viewAnswerSchema)).data;
    expect(answer).toEqual({ ...changed, updated_at: answer.updated_at });
    const { data } = await checked(await send('GET', path), 200, viewsAnswerSchema);
    expect(data.filter(({ id }) => id === shown.id)).toEqual([answer]);
  });

  it('422 for the name of another view; its own name stays', async () => {
    const [first, second] = [await add(), await add()];
    const taken = await send('PUT', `${path}/${second.id}`, { ...second, name: first.name });
    expect([taken.status, ((await taken.json()) as Answered).details.path]).toEqual([422, 'name']);
    expect((await send('PUT', `${path}/${second.id}`, second)).status).toBe(200);
  });
});

test('DELETE /v1/views/{id}: 200 once, and 404 from then on', async () => {
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
    ['w', 'POST', path],
  ] as const) {
    const response = await send(method, to, method === 'GET' ? undefined : { ...errors, name: 'x' }, permissions);
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

  it('sees no view of ours, cannot change one, and has its own names', async () => {
    const shown = await add();
    expect((await checked(await theirs('GET', path), 200, viewsAnswerSchema)).data).toEqual([]);
    for (const id of [shown.id, '01890000-0000-7000-8000-000000000000', 'mine']) {
      for (const method of ['PUT', 'DELETE'] as const) {
        const response = await theirs(method, `${path}/${id}`, method === 'PUT' ? { ...errors, name: 'Theirs' } : undefined);
        expect([response.status, ((await response.json()) as Answered).error]).toEqual([
          404,
          'The organisation has no such view; GET /v1/views lists them.',
        ]);
      }
    }
    expect((await theirs('POST', path, { ...errors, name: shown.name })).status).toBe(200);
    expect((await checked(await send('GET', path), 200, viewsAnswerSchema)).data).toContainEqual(shown);
  });
});

const unused = (): Promise<never> => Promise.reject(new Error('is not called'));

test('422 beyond the most views of an organisation', async () => {
  const views = { list: unused, replace: unused, remove: unused, add: () => Promise.resolve('too_many' as const) };
  const response = await rig.call('POST', path, { api: rig.withPorts({ views }), body: { ...errors, name: 'One more' } });
  const { error } = (await response.json()) as Answered;
  expect([response.status, error]).toEqual([422, expect.stringContaining('at most 200 views; delete one first')]);
});
