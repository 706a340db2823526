import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { signedInAnswerSchema, signedInOrNobodySchema, signedOutSchema } from '../../contract/settings/session-cookie.ts';
import { problemSchema } from '../../contract/problem.ts';
import { type ApiRig, checked, keyOf, openApiRig, propertyPath, queryPath } from '../testing/api-harness.ts';

const path = '/v1/session-cookie';
const all = { filter: 'all' };
const change = { key: 'Team', value: 'search' };
const csrf = { 'Svc-Csrf': '1' };
let rig: ApiRig;

beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());

const signIn = (apiKey: string): Promise<Response> => rig.call('POST', path, { key: null, body: { apiKey } });

/** The cookie of a new session, as a browser sends it back. */
async function cookieOf(apiKey = keyOf('rw')): Promise<string> {
  const answer = await signIn(apiKey);
  await checked(answer, 200, signedInAnswerSchema);
  return (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
}

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const byCookie = (cookie: string, method: string, address: string, { body, headers }: Sent = {}): Promise<Response> =>
  rig.call(method, address, { key: null, body, headers: { cookie, ...headers } });

describe('POST /v1/session-cookie', () => {
  it('200: sets a cookie that scripts cannot read and other sites do not send, for twelve hours', async () => {
    const answer = await signIn(keyOf('rw'));
    const { data } = await checked(answer, 200, signedInAnswerSchema);
    expect(data).toMatchObject({ organization_id: rig.organizationId, organization_name: 'ours', key_permissions: 'rw', firing_alerts: 0 });
    expect(Date.parse(data.expires_at ?? '')).toBeGreaterThan(Date.now() + 11.9 * 3_600_000);
    const set = answer.headers.get('set-cookie') ?? '';
    expect(set).toMatch(/^gatelog_session_[0-9a-f]{8}=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(set).not.toContain(keyOf('rw'));
  });

  it('Secure: the cookie goes over https alone where the public address of the API is https', async () => {
    const api = rig.withPorts({ secureCookies: true });
    const answer = await rig.call('POST', path, { key: null, api, body: { apiKey: keyOf('r') } });
    expect(answer.headers.get('set-cookie')).toMatch(/; Secure/);
  });

  it.each([
    [{ apiKey: 'sk-svc-us-unknown' }, 401, 'invalid_key'],
    [{ apiKey: 'sk-svc-eu-abcdefghijklmnop' }, 401, 'wrong_region'],
    [{ apiKey: keyOf('w') }, 403, 'permission_denied'],
    [{ apiKey: 7 }, 422, 'invalid_body'],
    [{}, 422, 'invalid_body'],
    [{ apiKey: 'k'.repeat(5000) }, 413, 'body_too_large'],
  ] as const)('%j is %i %s and sets no cookie', async (body, status, code) => {
    const answer = await rig.call('POST', path, { key: null, body });
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await checked(answer, status, problemSchema)).toMatchObject({ code });
  });
});

it('a cookie is no key for MCP', async () => {
  const answer = await byCookie(await cookieOf(), 'POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers: csrf });
  expect(answer.status).toBe(401);
});

describe('a sign-in from a page', () => {
  it.each([
    ['of the dashboard', { 'sec-fetch-site': 'same-origin', origin: 'https://api.example' }, 200],
    ['of nobody, as a typed address', { 'sec-fetch-site': 'none' }, 200],
    ['of another port of the host', { 'sec-fetch-site': 'same-site', origin: 'https://api.example:1' }, 403],
    ['of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['in an older browser, which has asked before', { origin: 'https://api.example' }, 200],
  ])('%s', async (_what, headers, status) => {
    const answer = await rig.call('POST', path, { key: null, body: { apiKey: keyOf('r') }, headers });
    expect([answer.status, answer.headers.has('set-cookie')]).toEqual([status, status === 200]);
  });
});

describe('a call by cookie', () => {
  it('does what the key may do', async () => {
    const cookie = await cookieOf(keyOf('r'));
    const answer = await byCookie(cookie, 'POST', queryPath, { body: all });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { data } = await checked(await byCookie(cookie, 'GET', path), 200, signedInAnswerSchema);
    expect(data).toMatchObject({ key_permissions: 'r', expires_at: expect.stringMatching(/Z$/) as string });
    const changed = byCookie(cookie, 'PUT', propertyPath(rig.stored), { body: change, headers: csrf });
    expect(await checked(await changed, 403, problemSchema)).toMatchObject({ code: 'permission_denied' });
  });

  it('changes something only with the header Svc-Csrf: 1', async () => {
    const cookie = await cookieOf();
    const changeWith = (headers: Sent['headers']): Promise<Response> =>
      byCookie(cookie, 'PUT', propertyPath(rig.stored), { body: change, ...(headers === undefined ? {} : { headers }) });
    expect(await checked(await changeWith({}), 403, problemSchema)).toMatchObject({ code: 'csrf_header_missing' });
    expect(await checked(await changeWith({ 'Svc-Csrf': 'true' }), 403, problemSchema)).toMatchObject({ code: 'csrf_header_missing' });
    expect((await changeWith(csrf)).status).toBe(200);
  });

  it('lists what only an administrator may see without that header', async () => {
    expect((await byCookie(await cookieOf(keyOf('admin')), 'GET', '/v1/api-keys')).status).toBe(200);
  });

  it('a key in a header counts before the cookie', async () => {
    const cookie = await cookieOf(keyOf('r'));
    const answer = await rig.call('GET', path, { key: keyOf('admin'), headers: { cookie } });
    expect((await checked(answer, 200, signedInAnswerSchema)).data).toMatchObject({ key_permissions: 'admin' });
  });

  it('401: once its time is over, and for a cookie that was never given', async () => {
    const cookie = await cookieOf();
    const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 12 * 3_600_000);
    try {
      expect(await checked(await byCookie(cookie, 'POST', queryPath, { body: all }), 401, problemSchema)).toMatchObject({
        code: 'invalid_key',
      });
      expect((await checked(await byCookie(cookie, 'GET', path), 200, signedInOrNobodySchema)).data).toBeNull();
    } finally {
      later.mockRestore();
    }
    const made = `${cookie.split('=', 1)[0]}=${'A'.repeat(43)}`;
    expect(await checked(await byCookie(made, 'POST', queryPath, { body: all }), 401, problemSchema)).toMatchObject({
      code: 'invalid_key',
    });
  });

  it('401: once its key is revoked', async () => {
    const cookie = await cookieOf();
    const api = rig.withPorts({ verifyKey: () => undefined });
    const answer = rig.call('POST', queryPath, { key: null, api, body: all, headers: { cookie } });
    expect(await checked(await answer, 401, problemSchema)).toMatchObject({ code: 'invalid_key' });
  });

  it('of one key, only a hundred sessions hold: the oldest ends when one more begins', async () => {
    const cookies: string[] = [];
    for (let count = 0; count < 101; count += 1) cookies.push(await cookieOf(keyOf('admin')));
    expect((await byCookie(cookies[0] ?? '', 'POST', queryPath, { body: all })).status).toBe(401);
    expect((await byCookie(cookies[1] ?? '', 'POST', queryPath, { body: all })).status).toBe(200);
  });
});

describe('DELETE /v1/session-cookie', () => {
  it('200: ends the session on the server too, and takes the cookie back', async () => {
    const cookie = await cookieOf();
    const answer = await byCookie(cookie, 'DELETE', path, { headers: csrf });
    expect((await checked(answer, 200, signedOutSchema)).data).toEqual({ issuer_address: null });
    expect(answer.headers.get('set-cookie')).toMatch(/=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict/);
    expect((await byCookie(cookie, 'POST', queryPath, { body: all })).status).toBe(401);
  });

  it('403: without the header; the session stays', async () => {
    const cookie = await cookieOf();
    const answer = await byCookie(cookie, 'DELETE', path);
    expect(await checked(answer, 403, problemSchema)).toMatchObject({ code: 'csrf_header_missing' });
    expect((await byCookie(cookie, 'GET', path)).status).toBe(200);
  });

  it('200: without a session', async () => {
    expect((await rig.call('DELETE', path, { key: null, headers: csrf })).status).toBe(200);
  });
});
