import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { clientId, clientSecret, type LocalIssuer, openLocalIssuer } from '../../auth/testing/local-issuer.ts';
import { auditAnswerSchema } from '../../contract/audit.ts';
import { problemSchema } from '../../contract/problem.ts';
import { doneSchema } from '../../contract/responses.ts';
import { issuedApiKeyAnswerSchema } from '../../contract/settings/api-keys.ts';
import { madeInvitationAnswerSchema, membersAnswerSchema } from '../../contract/settings/people.ts';
import {
  issuerAnswerSchema,
  signedInAnswerSchema,
  signedInByIssuerSchema,
  signedInOrNobodySchema,
  signedOutSchema,
} from '../../contract/settings/session-cookie.ts';
import { createOrganization } from '../../metadata/organization/organizations.ts';
import { type ApiRig, checked, keyOf, openApiRig, queryPath } from '../testing/api-harness.ts';
import { Browser, csrf } from '../testing/browser.ts';

const callback = 'https://gatelog.example.com/v1/sign-in/callback';
const minute = 60_000;
let issuer: LocalIssuer;
let rig: ApiRig;
let browser: Browser;

beforeAll(async () => {
  issuer = await openLocalIssuer({ callback, afterSignOut: 'https://gatelog.example.com/sign-in' });
  rig = await openApiRig(0, {
    GATELOG_OIDC_ISSUER: issuer.address,
    GATELOG_OIDC_CLIENT_ID: clientId,
    GATELOG_OIDC_CLIENT_SECRET: clientSecret,
    GATELOG_OIDC_ADMIT: 'engineering,leads,@example.com',
    GATELOG_OIDC_ROLES: 'engineering=ours:rw,leads=ours:admin,support=ours:r,leads=theirs:r',
  });
  await createOrganization(rig.database, 'theirs', 0);
});
afterAll(async () => {
  await rig.close();
  await issuer.close();
});
beforeEach(() => {
  browser = new Browser(rig);
  issuer.accounts.clear();
  issuer.accounts.set('ada', { name: 'Ada', email: 'ada@example.com', email_verified: true, groups: ['engineering'] });
});
afterEach(() => {
  vi.restoreAllMocks();
  issuer.setAway(false);
});

/** Everything goes on so much later, the issuer's clock too. */
function later(ms: number): void {
  const at = Date.now() + ms;
  vi.spyOn(Date, 'now').mockReturnValue(at);
}

async function signIn(account = 'ada'): Promise<Browser> {
  const other = new Browser(rig);
  await other.visit(issuer, account);
  await checked(await other.finish(), 200, signedInByIssuerSchema);
  return other;
}

const query = (one: Browser): Promise<Response> => one.call('POST', queryPath, { body: { filter: 'all' } });
const callBy = (key: string): Promise<Response> => rig.call('POST', queryPath, { key, body: { filter: 'all' } });
const invite = async (body: object) =>
  (await checked(await rig.call('POST', '/v1/invitations', { key: keyOf('admin'), body }), 200, madeInvitationAnswerSchema)).data;
const keyFrom = async (one: Browser, body: object) => {
  const answer = await one.call('POST', '/v1/api-keys', { body: { api_key_name: 'k', ...body }, headers: csrf });
  return (await checked(answer, 200, issuedApiKeyAnswerSchema)).data.apiKey;
};
/** A key was known a moment ago. */
const rejected = async (key: string) => {
  await expect.poll(async () => (await callBy(key)).status, { timeout: 10_000 }).toBe(401);
  return checked(await callBy(key), 401, problemSchema);
};
const who = async (one: Browser) => (await checked(await one.call('GET', '/v1/session-cookie'), 200, signedInOrNobodySchema)).data;

describe('a sign-in with the issuer', () => {
  it('is offered by the name of the issuer', async () => {
    const { data } = await checked(await browser.call('GET', '/v1/sign-in/issuer'), 200, issuerAnswerSchema);
    expect(data).toEqual({ name: new URL(issuer.address).host });
  });

  it('goes to the issuer with state, nonce and PKCE, each time others', async () => {
    const [one, other] = [await browser.call('GET', '/v1/sign-in'), await browser.call('GET', '/v1/sign-in')];
    const [first, second] = [one, other].map((answer) => new URL(answer.headers.get('location') ?? '').searchParams);
    expect(Object.fromEntries(first ?? [])).toMatchObject({ redirect_uri: callback, response_type: 'code', code_challenge_method: 'S256' });
    for (const name of ['state', 'nonce', 'code_challenge']) {
      expect(first?.get(name)).toMatch(/^[\w-]{43}$/);
      expect(first?.get(name)).not.toBe(second?.get(name));
    }
  });

  it('makes the cookie of a session by a second request, and that of the sign-in holds for the callback alone', async () => {
    expect(await browser.visit(issuer, 'ada')).toBe('https://gatelog.example.com/sign-in?finish=true');
    expect([...browser.cookies.values()].map(({ text }) => text)).toEqual([
      expect.stringMatching(/; Max-Age=600; Path=\/v1\/sign-in\/callback; HttpOnly; SameSite=Lax$/),
    ]);
    expect((await query(browser)).status).toBe(401);
    const { data } = await checked(await browser.finish(), 200, signedInByIssuerSchema);
    expect(data).toMatchObject({
      next: '/requests',
      organization_name: 'ours',
      key_permissions: 'rw',
      key_id: null,
      person: { name: 'Ada' },
    });
    expect([...browser.cookies.values()].map(({ text }) => text)).toEqual([
      expect.stringMatching(/^gatelog_session_[0-9a-f]{8}=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect((await query(browser)).status).toBe(200);
    expect(await checked(await browser.finish(), 403, problemSchema)).toMatchObject({ code: 'permission_denied' });
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'requests',
    'javascript:alert(1)',
    `/${'x'.repeat(1000)}`,
  ])('takes no other place than a page of ours to go on with: %.40j', async (next) => {
    const answer = await browser.call('GET', `/v1/sign-in?next=${encodeURIComponent(next)}`);
    expect(await checked(answer, 422, problemSchema)).toMatchObject({ code: 'invalid_parameter', details: { path: 'next' } });
  });

  it('from a page of another site, or without Svc-Csrf, ends in no session', async () => {
    await browser.visit(issuer, 'ada');
    const crossSite = { ...csrf, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    for (const [headers, code] of [
      [crossSite, 'permission_denied'],
      [{}, 'csrf_header_missing'],
    ] as const) {
      const answer = browser.call('POST', '/v1/sign-in/callback', { body: {}, headers });
      expect(await checked(await answer, 403, problemSchema)).toMatchObject({ code });
    }
    expect(browser.session).toBeUndefined();
  });

  it.each([
    [
      'in another browser than the one that began it',
      async (address: URL) => new Browser(rig).comeBack(address).then(() => new Browser(rig)),
    ],
    [
      'with a forged state',
      async (address: URL, own: Browser) => {
        address.searchParams.set('state', 'forged');
        await own.comeBack(address);
        return own;
      },
    ],
    [
      'with a forged code',
      async (address: URL, own: Browser) => {
        address.searchParams.set('code', 'forged');
        await own.comeBack(address);
        return own;
      },
    ],
  ] as const)('that comes back %s is refused', async (_what, comeBack) => {
    const begun = await browser.call('GET', '/v1/sign-in');
    const used = await comeBack(await issuer.visit(begun.headers.get('location') ?? '', 'ada'), browser);
    expect(await checked(await used.finish(), 403, problemSchema)).toMatchObject({ code: 'permission_denied' });
  });

  it('whose code was used before is refused, also in the browser that has it', async () => {
    const begun = await browser.call('GET', '/v1/sign-in');
    const before = new Map(browser.cookies);
    const address = await issuer.visit(begun.headers.get('location') ?? '', 'ada');
    await browser.comeBack(address);
    await checked(await browser.finish(), 200, signedInByIssuerSchema);
    const replaying = new Browser(rig);
    for (const [name, cookie] of before) replaying.cookies.set(name, cookie);
    await replaying.comeBack(address);
    expect((await checked(await replaying.finish(), 403, problemSchema)).error).toContain('used already');
  });

  it('that takes more than ten minutes is refused', async () => {
    const begun = await browser.call('GET', '/v1/sign-in');
    const address = await issuer.visit(begun.headers.get('location') ?? '', 'ada');
    later(11 * minute);
    await browser.comeBack(address);
    expect((await checked(await browser.finish(), 403, problemSchema)).error).toContain('more than ten minutes ago');
  });

  it('works after the issuer has changed its keys', async () => {
    await signIn();
    issuer.changeKeys();
    expect((await query(await signIn())).status).toBe(200);
  });

  it('says that the issuer is away, and works once it is back', async () => {
    issuer.setAway(true);
    later(11 * minute);
    expect(await checked(await browser.call('GET', '/v1/sign-in'), 503, problemSchema)).toMatchObject({ code: 'issuer_unavailable' });
    issuer.setAway(false);
    await signIn();
  });

  it('is not there where no issuer is set', async () => {
    const api = rig.withPorts({ people: { ...rig.ports.people, signIns: undefined } });
    expect((await checked(await rig.call('GET', '/v1/sign-in/issuer', { key: null, api }), 200, issuerAnswerSchema)).data).toBeNull();
    await checked(await rig.call('GET', '/v1/sign-in', { key: null, api }), 404, problemSchema);
  });
});

describe('who may sign in', () => {
  it.each([
    [
      'nobody whom neither a group nor a domain admits',
      { groups: ['support'], email: 'eve@other.example', email_verified: true },
      'may not sign in here',
    ],
    ['not by a mail address that the issuer has not verified', { email: 'eve@example.com', email_verified: false }, 'may not sign in here'],
    ['not whom no group gives an organisation', { email: 'eve@example.com', email_verified: true }, 'belongs to no organisation'],
  ])('%s', async (_what, account, sentence) => {
    issuer.accounts.set('eve', account);
    await browser.visit(issuer, 'eve');
    expect((await checked(await browser.finish(), 403, problemSchema)).error).toContain(sentence);
    expect(await rig.database.queries.selectFrom('people').select('id').where('subject', '=', 'eve').execute()).toEqual([]);
  });

  it('whom an invitation names: a link makes one person a member, once, and the audit log has it', async () => {
    const { id, link } = await invite({ permissions: 'r', mail: 'bob@other.example' });
    const token = /#invitation=([\w-]{43})$/.exec(link)?.[1];
    issuer.accounts.set('eve', { email: 'eve@other.example', email_verified: true });
    issuer.accounts.set('bob', { email: 'bob@other.example', email_verified: true });
    await browser.visit(issuer, 'eve');
    expect((await checked(await browser.finish(token), 403, problemSchema)).error).toContain('another mail address');
    await browser.visit(issuer, 'bob');
    const { data } = await checked(await browser.finish(token), 200, signedInByIssuerSchema);
    expect(data).toMatchObject({ key_permissions: 'r', person: { mail: 'bob@other.example' } });
    const { data: noted } = await checked(
      await rig.call('GET', '/v1/audit?action=acceptInvitation', { key: keyOf('admin') }),
      200,
      auditAnswerSchema,
    );
    expect(noted).toMatchObject([{ who: data.person?.id, target: id, filter: { permissions: 'r' } }]);
    await browser.visit(issuer, 'eve');
    await checked(await browser.finish(token), 404, problemSchema);
    await signIn('bob');
  });
});

describe("a person's session", () => {
  it('changes something only with Svc-Csrf, and does no more than the person may', async () => {
    const ada = await signIn();
    const body = { api_key_name: 'laptop', key_permissions: 'rw' };
    expect(await checked(await ada.call('POST', '/v1/api-keys', { body }), 403, problemSchema)).toMatchObject({
      code: 'csrf_header_missing',
    });
    await checked(await ada.call('POST', '/v1/api-keys', { body, headers: csrf }), 200, issuedApiKeyAnswerSchema);
    await checked(await ada.call('GET', '/v1/people'), 403, problemSchema);
  });

  it('follows the groups of the issuer, within five minutes', async () => {
    const ada = await signIn();
    issuer.accounts.set('ada', { name: 'Ada', groups: ['leads'] });
    expect((await ada.call('GET', '/v1/people')).status).toBe(403);
    later(6 * minute);
    await checked(await ada.call('GET', '/v1/people'), 200, membersAnswerSchema);
    expect(await who(ada)).toMatchObject({ key_permissions: 'admin' });
    issuer.accounts.set('ada', { name: 'Ada', groups: [] });
    later(6 * minute);
    expect((await query(ada)).status).toBe(401);
    expect(await who(ada)).toBeNull();
  });

  it('ends when the deployment has another issuer since', async () => {
    const ada = await signIn();
    const id = (await who(ada))?.person?.id ?? '';
    await rig.database.queries.updateTable('people').set({ issuer: 'https://former.example' }).where('id', '=', id).execute();
    expect((await query(ada)).status).toBe(200);
    later(6 * minute);
    expect((await query(ada)).status).toBe(401);
  });

  it('makes keys that rest 90 days after the last sign-in, and work again after the next', async () => {
    const key = await keyFrom(await signIn(), {});
    expect((await callBy(key)).status).toBe(200);
    const id = (await who(await signIn()))?.person?.id ?? '';
    const longAgo = { signed_in_at: Date.now() - 91 * 24 * 60 * minute };
    await rig.database.queries.updateTable('people').set(longAgo).where('id', '=', id).execute();
    const refused = await rejected(key);
    expect(refused.error).toContain('has not signed in for 90 days');
    await signIn();
    await expect.poll(async () => (await callBy(key)).status, { timeout: 10_000 }).toBe(200);
  });

  it('ends when the issuer knows the account no more, and its keys with it once an administrator removes the person', async () => {
    const ada = await signIn();
    issuer.accounts.delete('ada');
    later(6 * minute);
    expect((await query(ada)).status).toBe(401);
  });

  it('goes on while the issuer is away, and ends after twelve hours', async () => {
    const ada = await signIn();
    issuer.setAway(true);
    later(6 * minute);
    expect((await query(ada)).status).toBe(200);
    expect(rig.observations).toContainEqual(expect.objectContaining({ kind: 'people_failed' }));
    later(12 * 60 * minute);
    expect((await query(ada)).status).toBe(401);
  });

  it('ends when the person is removed, whose keys are refused then too; keys of the organisation stay', async () => {
    issuer.accounts.set('lea', { name: 'Lea', groups: ['leads'] });
    const [ada, lea] = [await signIn(), await signIn('lea')];
    const [own, service] = [await keyFrom(ada, {}), await keyFrom(lea, { service: true })];
    expect([(await callBy(own)).status, (await callBy(service)).status]).toEqual([200, 200]);
    const id = (await who(ada))?.person?.id ?? '';
    await checked(await lea.call('DELETE', `/v1/people/${id}`, { headers: csrf }), 200, doneSchema);
    expect((await query(ada)).status).toBe(401);
    // A key that was checked lately is good for some seconds.
    await vi.waitFor(async () => expect((await callBy(own)).status).toBe(401), { timeout: 5000 });
    expect((await callBy(service)).status).toBe(200);
  });

  it('is in one of the organisations of its person, and goes on in another that it chooses', async () => {
    issuer.accounts.set('lea', { name: 'Lea', groups: ['leads'] });
    const lea = await signIn('lea');
    const { organizations = [], organization_name: first } = (await who(lea)) ?? {};
    expect([first, organizations.map(({ name, permissions }) => [name, permissions])]).toEqual([
      'ours',
      [
        ['ours', 'admin'],
        ['theirs', 'r'],
      ],
    ]);
    const choose = (id: string, headers: Record<string, string> = csrf) =>
      lea.call('PATCH', '/v1/session-cookie', { body: { organization_id: id }, headers });
    const theirs = organizations[1]?.id ?? '';
    await checked(await choose(theirs, {}), 403, problemSchema);
    expect((await checked(await choose(theirs), 200, signedInAnswerSchema)).data).toMatchObject({
      organization_name: 'theirs',
      key_permissions: 'r',
    });
    await checked(await lea.call('GET', '/v1/people'), 403, problemSchema);
    await checked(await choose('0190b3a4-0000-7000-8000-000000000000'), 404, problemSchema);
  });

  it('ends by signing out, here and at the issuer', async () => {
    const ada = await signIn();
    const before = new Map(ada.cookies);
    const { data } = await checked(await ada.call('DELETE', '/v1/session-cookie', { headers: csrf }), 200, signedOutSchema);
    const end = new URL(data?.issuer_address ?? '');
    expect([end.origin, end.searchParams.get('post_logout_redirect_uri'), end.searchParams.has('id_token_hint')]).toEqual([
      issuer.address,
      'https://gatelog.example.com/sign-in',
      true,
    ]);
    for (const [name, cookie] of before) ada.cookies.set(name, cookie);
    expect((await query(ada)).status).toBe(401);
  });
});
