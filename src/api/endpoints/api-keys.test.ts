import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '../../auth/api-key.ts';
import { apiKeyAnswerSchema, apiKeysAnswerSchema, issuedApiKeyAnswerSchema } from '../../contract/settings/api-keys.ts';
import { doneSchema } from '../../contract/responses.ts';
import { problemSchema } from '../../contract/problem.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { keyPermissions } from '../../model/principal.ts';
import { type ApiRig, checked, keyOf, openApiRig } from '../testing/api-harness.ts';

const path = '/v1/api-keys';
let rig: ApiRig;

beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());

const admin = keyOf('admin');
const post = (body: unknown, key = admin): Promise<Response> => rig.call('POST', path, { key, body });
const patch = (id: string, body: unknown, key = admin): Promise<Response> => rig.call('PATCH', `${path}/${id}`, { key, body });
const revoke = (id: string, key = admin): Promise<Response> => rig.call('DELETE', `${path}/${id}`, { key });
const list = async (query = '') => (await checked(await rig.call('GET', path + query, { key: admin }), 200, apiKeysAnswerSchema)).data;
const add = async (body: unknown) => (await checked(await post(body), 200, issuedApiKeyAnswerSchema)).data;
const problemOf = async (answer: Promise<Response>, status: number) => checked(await answer, status, problemSchema);

describe('POST /v1/api-keys', () => {
  it('200: creates a key that is shown once and kept as its SHA-256', async () => {
    const made = await add({ api_key_name: 'checkout' });
    expect(made.apiKey).toMatch(/^sk-svc-us-\w{32}$/);
    expect(made.hashedKey).toBe(hashKey(made.apiKey));
    const [shown] = await list();
    expect(shown).toMatchObject({
      id: made.id,
      api_key_name: 'checkout',
      key_permissions: 'rw',
      api_key_hash: made.hashedKey,
      revoked_at: null,
    });
    expect(JSON.stringify(await list())).not.toContain(made.apiKey);
    expect((await post({ api_key_name: 'x' })).headers.get('cache-control')).toBe('no-store');
  });

  it('200: with each permission', async () => {
    for (const permissions of keyPermissions) {
      const { id } = await add({ api_key_name: permissions, key_permissions: permissions });
      expect((await list()).find((one) => one.id === id)?.key_permissions).toBe(permissions);
    }
  });

  it.each([
    [{}, 'api_key_name'],
    [{ api_key_name: '' }, 'api_key_name'],
    [{ api_key_name: ' ' }, 'api_key_name'],
    [{ api_key_name: 'a\u0000' }, 'api_key_name'],
    [{ api_key_name: 'n'.repeat(129) }, 'api_key_name'],
    [{ api_key_name: 'x', key_permissions: 'g' }, 'key_permissions'],
    [{ api_key_name: 'x', key_permissions: null }, 'key_permissions'],
    [[], '$'],
  ])('422 for %j', async (body, place) => {
    expect(await problemOf(post(body), 422)).toMatchObject({ code: 'invalid_body', details: { path: place } });
  });
});

describe('PATCH /v1/api-keys/{id}', () => {
  it('200: renames a key, and gives it other permissions', async () => {
    const { id } = await add({ api_key_name: 'before', key_permissions: 'r' });
    const renamed = await checked(await patch(id, { api_key_name: 'after' }), 200, apiKeyAnswerSchema);
    expect(renamed.data).toMatchObject({ api_key_name: 'after', key_permissions: 'r' });
    await checked(await patch(id.toUpperCase(), { key_permissions: 'w' }), 200, apiKeyAnswerSchema);
    expect((await list()).find((one) => one.id === id)).toMatchObject({ api_key_name: 'after', key_permissions: 'w' });
  });

  it.each([[{}], [{ name: 'x' }], [{ key_permissions: 'all' }], [[]]])('422 for %j', async (body) => {
    const { id } = await add({ api_key_name: 'kept' });
    expect((await problemOf(patch(id, body), 422)).code).toBe('invalid_body');
  });
});

describe('a key cannot give itself more', () => {
  it('403: only an admin key creates, changes, lists or revokes keys', async () => {
    const { id } = await add({ api_key_name: 'mine' });
    for (const permissions of ['r', 'rw', 'w'] as const) {
      const key = keyOf(permissions);
      const answers = [
        post({ api_key_name: 'x', key_permissions: 'admin' }, key),
        patch(id, { key_permissions: 'admin' }, key),
        revoke(id, key),
        rig.call('GET', path, { key }),
      ];
      for (const answer of answers) expect((await problemOf(answer, 403)).code).toBe('permission_denied');
    }
    expect((await list()).find((one) => one.id === id)?.key_permissions).toBe('rw');
  });
});

describe('DELETE /v1/api-keys/{id}', () => {
  it('200: revokes for good; the list then leaves the key out unless it is asked for', async () => {
    const { id } = await add({ api_key_name: 'short lived' });
    await checked(await revoke(id), 200, doneSchema);
    expect((await list()).some((one) => one.id === id)).toBe(false);
    expect((await list('?include_revoked=true')).find((one) => one.id === id)?.revoked_at).toMatch(/^20/);
    expect((await problemOf(revoke(id), 404)).error).toContain('GET /v1/api-keys');
    expect((await patch(id, { api_key_name: 'again' })).status).toBe(404);
  });

  it('422 for the last admin key, which is not demoted either; with another one both work', async () => {
    for (const { id, key_permissions: permissions } of await list()) if (permissions === 'admin') await revoke(id);
    const last = (await list()).find(({ key_permissions: permissions }) => permissions === 'admin');
    expect(last).toBeDefined();
    const id = last?.id ?? '';
    expect(await problemOf(revoke(id), 422)).toMatchObject({
      details: { path: 'id' },
      error: expect.stringContaining('only key') as unknown,
    });
    expect(await problemOf(patch(id, { key_permissions: 'r' }), 422)).toMatchObject({ details: { path: 'key_permissions' } });
    expect((await patch(id, { api_key_name: 'still admin', key_permissions: 'admin' })).status).toBe(200);
    await add({ api_key_name: 'second', key_permissions: 'admin' });
    expect((await patch(id, { key_permissions: 'r' })).status).toBe(200);
  });
});

describe('another organisation', () => {
  it('sees and changes only its own keys', async () => {
    const { id } = await add({ api_key_name: 'ours' });
    const organizationId = '01890000-0000-7000-8000-00000000ffff' as OrganizationId;
    const api = rig.withPorts({ verifyKey: () => ({ organizationId, keyId: 'k', keyHash: '', permissions: 'admin' }) });
    expect((await checked(await rig.call('GET', path, { api }), 200, apiKeysAnswerSchema)).data).toEqual([]);
    expect((await rig.call('DELETE', `${path}/${id}`, { api })).status).toBe(404);
    expect((await rig.call('PATCH', `${path}/${id}`, { api, body: { api_key_name: 'theirs' } })).status).toBe(404);
    expect((await rig.call('DELETE', `${path}/not-an-id`, { api })).status).toBe(404);
    expect((await list()).find((one) => one.id === id)?.api_key_name).toBe('ours');
  });
});
