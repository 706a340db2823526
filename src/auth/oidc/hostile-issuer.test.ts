import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HostileIssuer, type Lie, openHostileIssuer } from '../testing/hostile-issuer.ts';
import { clientId } from '../testing/local-issuer.ts';
import { Issuer } from './issuer.ts';

const callback = 'https://gatelog.example.com/v1/sign-in/callback';
const settings = { clientId, clientSecret: undefined, groupsClaim: 'groups', scopes: ['openid'], now: Date.now };
let hostile: HostileIssuer;
let issuer: Issuer;

beforeAll(async () => {
  hostile = await openHostileIssuer(callback);
});
afterAll(() => hostile.close());
beforeEach(() => {
  hostile.lie = {};
  issuer = new Issuer({ issuer: hostile.address, ...settings });
});

async function signIn(lie: Lie): Promise<unknown> {
  const { address, checks } = await issuer.begin(callback);
  hostile.lie = lie;
  return issuer.finish(hostile.answerTo(address.href), checks);
}

it('what a good token says is the identity', async () => {
  expect(await signIn({})).toMatchObject({
    identity: {
      account: { subject: 'ada', name: 'Ada', issuer: hostile.address },
      verifiedMail: 'ada@example.com',
      groups: ['engineering'],
    },
  });
});

describe('a token is refused', () => {
  it.each<readonly [string, Lie, string]>([
    ['of another issuer', { claims: { iss: 'https://evil.example' } }, 'its iss is another'],
    ['for another client', { claims: { aud: 'other' } }, 'its aud is another'],
    ['for another sign-in', { claims: { nonce: 'other' } }, 'its nonce is another'],
    ['without a nonce', { claims: { nonce: undefined } }, ''],
    ['without a subject', { claims: { sub: undefined } }, ''],
    ['signed with a key that the issuer does not name', { hasOtherKey: true }, 'signature'],
    ['that is none', { body: '{"access_token":"a","token_type":"Bearer"}' }, ''],
    ['of a clock that is five minutes ahead', { clockSeconds: 300 }, 'ahead of ours'],
    ['of a clock that is so far behind that it has expired', { clockSeconds: -420 }, 'clock'],
    ['that left out groups', { claims: { _claim_names: { groups: 'src1' }, groups: undefined } }, 'left the groups'],
  ])('%s', async (_what, lie, sentence) => {
    await expect(signIn(lie)).rejects.toThrow(
      expect.objectContaining({ code: 'permission_denied', message: expect.stringContaining(sentence) as string }),
    );
  });

  it.each([30, -30, 55])('not for a clock that is %i seconds off', async (clockSeconds) => {
    await expect(signIn({ clockSeconds })).resolves.toBeDefined();
  });
});

describe('an issuer counts as away', () => {
  it.each<readonly [string, Lie]>([
    ['whose answer has no end', { body: `{"x":"${'x'.repeat(600_000)}"}` }],
    ['whose answer is no JSON', { body: '<html>' }],
  ])('%s', async (_what, lie) => {
    await expect(signIn(lie)).rejects.toThrow(/issuer/);
  });

  it('that says to be another one', async () => {
    hostile.lie = { issuer: 'https://evil.example' };
    await expect(issuer.begin(callback)).rejects.toThrow(
      expect.objectContaining({ message: expect.stringContaining('issuer is another') as string }),
    );
  });

  it('that is not there', async () => {
    const nowhere = new Issuer({ issuer: 'http://127.0.0.1:9', ...settings });
    await expect(nowhere.begin(callback)).rejects.toThrow(expect.objectContaining({ code: 'issuer_unavailable' }));
  });
});

function refresh(lie: Lie) {
  hostile.lie = lie;
  return issuer.refresh({ refreshToken: 'r' }, 'ada');
}

describe('a refresh', () => {
  it.each([
    [429, 'too_many_requests'],
    [401, 'invalid_client'],
    [400, 'temporarily_unavailable'],
    [400, 'unauthorized_client'],
  ])('that is answered %i %s leaves the question open', async (status, error) => {
    await expect(refresh({ status, body: JSON.stringify({ error }) })).rejects.toThrow(
      expect.objectContaining({ code: 'issuer_unavailable' }),
    );
  });

  it('of an account that has ended says so', async () => {
    await expect(refresh({ status: 400, body: '{"error":"invalid_grant"}' })).resolves.toBeUndefined();
  });

  it('of another account says so', async () => {
    await expect(refresh({ claims: { sub: 'eve' } })).resolves.toBeUndefined();
  });
});

it('its library is loaded by a sign-in, and by no start', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.ts$/.test(file));
  const loading = files.filter((file) => /^(?:import|export)\s(?!type\b)[^;]*'openid-client'/m.test(readFileSync(`src/${file}`, 'utf8')));
  expect(loading).toEqual([]);
  expect(readFileSync('src/auth/oidc/issuer.ts', 'utf8')).toContain("await (this.library ??= import('openid-client'))");
});
