import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { doneSchema } from '../../contract/responses.ts';
import { modelsAnswerSchema } from '../../contract/models/list.ts';
import { providerKeyAnswerSchema, providerKeysAnswerSchema } from '../../contract/settings/provider-keys.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const path = '/v1/provider-keys';
const secret = 'sk-planted-key-of-a-provider-wxyz';
let rig: ApiRig;

beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());
beforeEach(async () => {
  for (const { id } of await list()) await remove(id);
});

const post = (body: unknown, key = keyOf('admin')): Promise<Response> => rig.call('POST', path, { key, body });
const remove = (id: string, key = keyOf('admin')): Promise<Response> => rig.call('DELETE', `${path}/${id}`, { key });
const list = async () => (await checked(await rig.call('GET', path, { key: keyOf('admin') }), 200, providerKeysAnswerSchema)).data;
const models = async () => (await checked(await rig.call('GET', '/v1/models', { key: keyOf('r') }), 200, modelsAnswerSchema)).data;
const add = async (body: unknown) => (await checked(await post(body), 200, providerKeyAnswerSchema)).data;
const refused = (sentence: string, place: string) => ({
  code: 'invalid_body',
  error: expect.stringContaining(sentence) as unknown,
  details: { path: place },
});

describe('POST /v1/provider-keys', () => {
  it('200: stores the key and shows its end; the list shows the newest first', async () => {
    const first = await add({ provider: 'openai', key: secret });
    expect(first).toMatchObject({ provider: 'openai', name: null, hint: '…wxyz', readable: true });
    const second = await add({ provider: 'google', key: 'short-key', name: 'Ersatz €' });
    expect(second).toMatchObject({ provider: 'gemini', name: 'Ersatz €', hint: null });
    expect(await list()).toEqual([second, first]);
    expect(JSON.stringify(await list())).not.toContain(secret.slice(0, -4));
    for (const reader of ['r', 'rw'] as const) {
      const shown = await checked(await rig.call('GET', path, { key: keyOf(reader) }), 200, providerKeysAnswerSchema);
      expect(shown.data).toEqual([second, { ...first, hint: null }]);
    }
  });

  it('200: several keys of a provider without a name, so that one can be replaced without a gap', async () => {
    const old = await add({ provider: 'openai', key: secret });
    const fresh = await add({ provider: 'openai', key: `${secret}2`, name: null });
    await checked(await remove(old.id), 200, doneSchema);
    expect((await list()).map(({ id }) => id)).toEqual([fresh.id]);
  });

  it.each([
    [{ key: secret }, 'provider', '`provider` is one of openai, anthropic, gemini'],
    [{ provider: 'echo', key: secret }, 'provider', '`provider` is one of'],
    [{ provider: 'OpenAI', key: secret }, 'provider', '`provider` is one of'],
    [{ provider: 'constructor', key: secret }, 'provider', '`provider` is one of'],
    [{ provider: 'openai' }, 'key', '`key` is the provider'],
    [{ provider: 'openai', key: '' }, 'key', 'visible ASCII'],
    [{ provider: 'openai', key: `Bearer ${secret}` }, 'key', 'without "Bearer"'],
    [{ provider: 'openai', key: `${secret}\n` }, 'key', 'visible ASCII'],
    [{ provider: 'openai', key: 'k'.repeat(4097) }, 'key', '1 to 4096'],
    [{ provider: 'openai', key: 'sk-svc-us-0123456789' }, 'key', 'a key of Gatelog'],
    [{ provider: 'openai', key: secret, name: ' ' }, 'name', '`name` takes 1 to 128 characters'],
    [{ provider: 'openai', key: secret, name: 'n'.repeat(129) }, 'name', '`name` takes 1 to 128 characters'],
    [{ provider: 'openai', key: secret, name: 'a\u0000b' }, 'name', '`name` takes'],
    [[], '$', 'The body is an object such as'],
  ])('422 for %j, without a word of the key', async (body, place, sentence) => {
    const response = await post(body);
    const text = await response.text();
    expect([response.status, JSON.parse(text)]).toMatchObject([422, refused(sentence, place)]);
    expect(text).not.toContain('planted');
    expect(await list()).toEqual([]);
  });

  it('422 for a name that the provider has already; another provider may have it', async () => {
    await add({ provider: 'openai', key: secret, name: 'main' });
    const response = await post({ provider: 'openai', key: 'other', name: 'main' });
    expect([response.status, await response.json()]).toMatchObject([422, refused('has a key of this name already', 'name')]);
    await add({ provider: 'anthropic', key: secret, name: 'main' });
    expect(await list()).toHaveLength(2);
  });

  it('422 for the 101st key', async () => {
    for (let count = 0; count < 100; count += 1) await add({ provider: 'openai', key: secret });
    const response = await post({ provider: 'openai', key: secret });
    expect([response.status, await response.json()]).toMatchObject([422, refused('at most 100 keys', '$')]);
  });

  it('400 for what is not JSON, without a word of it', async () => {
    const response = await rig.call('POST', path, { key: keyOf('admin'), text: `{"provider": "openai", "key": "${secret}"` });
    expect([response.status, await response.text()]).toEqual([400, expect.not.stringContaining('planted')]);
  });

  it('403 for a key that is not admin; a key that may read sees the list', async () => {
    for (const permissions of ['rw', 'r', 'w'] as const) {
      expect((await post({ provider: 'openai', key: secret }, keyOf(permissions))).status).toBe(403);
    }
    expect((await rig.call('GET', path, { key: keyOf('w') })).status).toBe(403);
  });
});

describe('DELETE /v1/provider-keys/{id}', () => {
  it('404 for what is not there, is no identifier, or is another organisation`s; all look alike', async () => {
    const { id } = await add({ provider: 'openai', key: secret });
    const stranger = {
      organizationId: '01890000-0000-7000-8000-00000000ffff' as OrganizationId,
      keyId: 'k',
      keyHash: '',
      permissions: 'admin' as const,
    };
    const api = rig.withPorts({ verifyKey: () => stranger });
    const foreign = await rig.call('DELETE', `${path}/${id}`, { api });
    const answers = [foreign, await remove('01890000-0000-7000-8000-000000000000'), await remove('mine')];
    expect(await Promise.all(answers.map(async (answer) => [answer.status, await answer.text()]))).toEqual(
      answers.map(() => [404, expect.stringContaining('has stored no such key') as unknown]),
    );
    expect((await checked(await rig.call('GET', path, { api }), 200, providerKeysAnswerSchema)).data).toEqual([]);
    expect(await list()).toHaveLength(1);
    expect([
      (await remove(id.toUpperCase(), keyOf('rw'))).status,
      (await remove(id.toUpperCase())).status,
      (await remove(id)).status,
    ]).toEqual([403, 200, 404]);
  });
});

describe('GET /v1/models', () => {
  it('200: what the organisation reaches, with the providers for which it has stored a key', async () => {
    expect((await models()).map(({ id }) => id)).toEqual(['echo/m']);
    await add({ provider: 'openai', key: secret });
    expect(await models()).toContainEqual({ id: 'openai/m', object: 'model', created: 0, owned_by: 'openai' });
  });
});
