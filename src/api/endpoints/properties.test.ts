import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Hono } from 'hono';
import { problemSchema } from '../../contract/problem.ts';
import { changedVisibilitySchema, propertyNamesAnswerSchema, propertyValuesAnswerSchema } from '../../contract/properties.ts';
import { declaredPropertySchema } from '../../contract/settings/properties.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { idAt, noon } from '../../query/testing/query-harness.ts';
import { type ApiRig, checked, keyOf, openApiRig, propertyPath } from '../testing/api-harness.ts';

const stranger = '0197b000-0000-7000-8000-0000000000ff' as OrganizationId;
let rig: ApiRig;
let theirs: Hono;

function record(n: number, properties: Readonly<Record<string, string>>, organizationId?: OrganizationId) {
  const owner = organizationId === undefined ? {} : { organizationId };
  return { requestId: idAt(noon, n), createdAt: noon, properties: new Map(Object.entries(properties)), ...owner };
}

beforeAll(async () => {
  rig = await openApiRig();
  theirs = rig.withPorts({ verifyKey: () => ({ organizationId: stranger, keyId: 'k', keyHash: '', permissions: 'admin' }) });
  await rig.insert([
    record(1, { Team: 'search', 'Svc-Session-Id': 'checkout-7' }),
    record(2, { Team: 'Research', 'a/b c%': 'odd name' }),
    record(3, { Team: 'ops', Empty: '' }),
    record(4, { Team: 'their team', Theirs: 'x' }, stranger),
  ]);
});
afterAll(() => rig.close());

type Given = Parameters<ApiRig['call']>[2];
const post = (path: string, body: unknown, given: Given = {}): Promise<Response> =>
  rig.call('POST', `/v1/property/${path}`, { ...given, body });
const namesOf = async (path: string, given: Given = {}): Promise<readonly string[]> =>
  (await checked(await post(path, {}, given), 200, propertyNamesAnswerSchema)).data.map(({ property }) => property);
const search = async (name: string, searchTerm: string, given: Given = {}): Promise<readonly string[]> =>
  (await checked(await post(`${name}/search`, { searchTerm }, given), 200, propertyValuesAnswerSchema)).data;

const stored = ['Empty', 'Environment', 'Svc-Session-Id', 'Team', '__proto__', 'a/b c%'];

describe('POST /v1/property/query', () => {
  test('lists the names on record of the organisation, by their bytes', async () => {
    expect(await namesOf('query')).toEqual(stored);
    expect(await namesOf('query', { api: theirs })).toEqual(['Team', 'Theirs']);
  });

  test.each(['query', 'hidden/query'])('%s needs no body', async (path) => {
    const bare = await checked(await rig.call('POST', `/v1/property/${path}`), 200, propertyNamesAnswerSchema);
    expect(bare.data.map(({ property }) => property)).toEqual(await namesOf(path));
  });

  test('also lists declared names, and every name that a change brings', async () => {
    expect((await rig.call('PUT', '/v1/property/Declared')).status).toBe(200);
    expect((await rig.call('PUT', propertyPath(rig.stored), { body: { Changed: 'x' } })).status).toBe(200);
    expect(await namesOf('query')).toEqual(['Changed', 'Declared', ...stored]);
    expect(await search('Changed', '')).toEqual(['x']);
  });

  test('finds names as one types, declared ones too', async () => {
    const found = async (searchTerm: string) =>
      (await checked(await post('query', { searchTerm }), 200, propertyNamesAnswerSchema)).data.map(({ property }) => property);
    expect(await found('E')).toEqual(['Changed', 'Declared', ...stored.filter((name) => /e/i.test(name))]);
    expect(await found('DECL')).toEqual(['Declared']);
    expect(await found('nothing like it')).toEqual([]);
    expect((await post('query', { searchTerm: 5 })).status).toBe(422);
  });

  test('lists a property of a request that has just been stored', async () => {
    await rig.insert([{ requestId: idAt(noon, 9), createdAt: noon, properties: new Map([['Fresh', 'new']]) }]);
    expect(await namesOf('query')).toContain('Fresh');
  });
});

describe('hidden properties', () => {
  test('are left out of the list until they are restored; records and other organisations do not notice', async () => {
    expect((await checked(await post('hide', { key: 'Team' }), 200, changedVisibilitySchema)).data).toEqual({ ok: true });
    expect((await post('hide', { key: 'Team' })).status).toBe(200);
    expect(await namesOf('query')).not.toContain('Team');
    expect(await namesOf('hidden/query')).toEqual(['Team']);
    expect(await search('Team', 'OPS')).toEqual(['ops']);
    expect([await namesOf('query', { api: theirs }), await namesOf('hidden/query', { api: theirs })]).toEqual([['Team', 'Theirs'], []]);
    expect((await checked(await post('restore', { key: 'Team' }), 200, changedVisibilitySchema)).data).toEqual({ ok: true });
    expect([(await namesOf('query')).includes('Team'), await namesOf('hidden/query')]).toEqual([true, []]);
  });

  test('go by exact name, and upstream’s names of a session mean ours', async () => {
    await post('hide', { key: 'team' });
    await post('hide', { key: 'Helicone-Session-Id' });
    expect(await namesOf('query')).toContain('Team');
    expect(await namesOf('query')).not.toContain('Svc-Session-Id');
    for (const key of ['team', 'Helicone-Session-Id']) await post('restore', { key });
    expect(await namesOf('query')).toContain('Svc-Session-Id');
  });

  test('can be hidden and restored by PUT, which declares nothing then', async () => {
    const put = async (body: unknown) =>
      (await checked(await rig.call('PUT', '/v1/property/Team', { body }), 200, declaredPropertySchema)).data;
    expect(await put({ hidden: true })).toEqual({ name: 'Team', replaced: null, hidden: true });
    expect(await namesOf('hidden/query')).toEqual(['Team']);
    expect(await put({ hidden: false })).toEqual({ name: 'Team', replaced: null, hidden: false });
    expect((await checked(await rig.call('PUT', '/v1/property/team'), 200, declaredPropertySchema)).data.replaced).toBeNull();
    expect(await put({})).toEqual({ name: 'Team', replaced: 'team', hidden: false });
  });

  test.each([
    ['hide', {}, 'key'],
    ['hide', { key: '' }, 'key'],
    ['restore', { key: 'x'.repeat(129) }, 'key'],
    ['restore', { key: 5 }, 'key'],
    ['Team/search', {}, 'searchTerm'],
    ['Team/search', { searchTerm: 5 }, 'searchTerm'],
    ['Team/search', { searchTerm: 'x'.repeat(8193) }, 'searchTerm'],
    ['query', [], '$'],
  ])('422 for %s with %j', async (path, body, place) => {
    expect(await checked(await post(path, body), 422, problemSchema)).toMatchObject({ code: 'invalid_body', details: { path: place } });
  });

  test('422 for a name of no length or of too many characters, and for what is no boolean', async () => {
    expect((await checked(await post(`${'x'.repeat(129)}/search`, { searchTerm: '' }), 422, problemSchema)).details).toEqual({
      path: 'name',
    });
    expect((await checked(await post('%ff/search', { searchTerm: '' }), 422, problemSchema)).details).toEqual({ path: 'name' });
    const answer = await rig.call('PUT', '/v1/property/Team', { body: { hidden: 'yes' } });
    expect((await checked(answer, 422, problemSchema)).details).toEqual({ path: 'hidden' });
  });
});

describe('POST /v1/property/{name}/search', () => {
  test('finds the values of the organisation that contain the term in any case, those that begin with it first', async () => {
    expect(await search('Team', 'SEARCH')).toEqual(['search', 'Research']);
    expect(await search('Team', '')).toEqual(['Research', 'ops', 'search']);
    expect(await search('Team', '%')).toEqual([]);
    expect(await search('Empty', '')).toEqual([]);
    expect(await search('nowhere', '')).toEqual([]);
    expect(await search('Team', 'team')).toEqual([]);
    expect(await search('Team', '', { api: theirs })).toEqual(['their team']);
    expect(await search('Theirs', '')).toEqual([]);
  });

  test('says that a name has another case', async () => {
    expect((await post('team/search', { searchTerm: '' })).headers.get('svc-hint')).toContain('there is one named "Team"');
    expect((await post('Team/search', { searchTerm: 'nothing like it' })).headers.get('svc-hint')).toBeNull();
  });

  test('takes any name, percent-encoded, and upstream’s names of a session', async () => {
    expect(await search(encodeURIComponent('a/b c%'), 'odd')).toEqual(['odd name']);
    expect(await search('__proto__', '')).toEqual(['p']);
    expect(await search('Helicone-Session-Id', 'CHECK')).toEqual(['checkout-7']);
  });

  test('finds at most 25', async () => {
    const many = Array.from({ length: 40 }, (_, n) => ({
      requestId: idAt(noon, 100 + n),
      createdAt: noon,
      properties: new Map([['Many', `v${String(n).padStart(2, '0')}`]]),
    }));
    await rig.insert(many);
    expect(await search('Many', 'v')).toEqual(many.slice(0, 25).map(({ properties }) => properties.get('Many')));
  });

  test('a key needs the permission to read, and hiding that to write', async () => {
    for (const path of ['query', 'hidden/query', 'Team/search']) expect((await post(path, {}, { key: keyOf('w') })).status).toBe(403);
    for (const path of ['hide', 'restore']) expect((await post(path, { key: 'x' }, { key: keyOf('r') })).status).toBe(403);
  });
});
