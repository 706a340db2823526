import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import { type LimitPolicy, parseLimitPolicy } from '../../model/limit-policy.ts';
import { moneyOfUnits } from '../../model/pricing/money.ts';
import { makeCostEstimate, readUser } from '../../pricing/estimate/estimate-cost.ts';
import { systemClock } from '../../platform/clock.ts';
import { listedPrices } from '../../pricing/testing/prices.ts';
import { type LmdbEnvironment, openEnvironment } from '../../state/lmdb.ts';
import { FixedWindows } from '../../state/fixed-windows.ts';
import type { CallLimits } from './call-limits.ts';
import { type Rig, startRig } from '../testing/gateway-harness.ts';
import { StoredLimits } from './stored-policies.ts';
import { openClient, ourKey, requestText } from '../testing/raw-http.ts';

let folder: string;
let environment: LmdbEnvironment;
let windows: FixedWindows;
let rig: Rig;
let stored: readonly LimitPolicy[] = [];
let breaks = false;
/** Set: the gateway's time, Unix milliseconds. */
let gatewayTime: number | undefined;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-call-limits-'));
  environment = openEnvironment(folder, 16 * 1024 * 1024, () => undefined);
  windows = new FixedWindows(environment, 16 * 1024 * 1024);
  stored = [];
  breaks = false;
  gatewayTime = undefined;
  const callLimits: CallLimits = {
    windows: {
      claim: (...given) => {
        if (breaks) throw new Error('the windows are away');
        return windows.claim(...given);
      },
    },
    storedPolicies: () => stored,
    estimateCost: makeCostEstimate(100, () => listedPrices),
    readUser,
  };
  // Nobody listens there.
  const clock = { ...systemClock, now: () => gatewayTime ?? systemClock.now() };
  rig = await startRig({
    providers: { anthropic: { baseUrl: 'http://127.0.0.1:9' } },
    limits: { routeMaxBytes: 16 * 1024 * 1024 },
    ports: { callLimits, clock },
  });
});

afterEach(async () => {
  await rig.close();
  await environment.close();
  rmSync(folder, { recursive: true });
});

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** A call of the echo provider. */
async function call({ headers = {}, body = {} }: Sent = {}): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${rig.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ourKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'echo/e', messages: [{ role: 'user', content: 'Hello' }], ...body }),
  });
  await response.arrayBuffer();
  return response;
}

it('a call that is refused is on record with its body, its model and what the cache says of it', async () => {
  const headers = { 'svc-ratelimit-policy': '1;w=60;s=user', 'svc-cache-enabled': 'true' };
  await call({ headers, body: { user: 'ann' } });
  const refused = await call({ headers, body: { user: 'ann', seed: 2 } });
  expect([refused.status, refused.headers.get('svc-cache')]).toEqual([429, 'MISS']);
  const exchange = (await rig.exchanges(2))[1];
  expect(JSON.parse(Buffer.from(exchange?.requestBody ?? []).toString())).toMatchObject({ user: 'ann', seed: 2 });
  expect(exchange?.open).toMatchObject({ model: 'e', targetUrl: '' });
});

const linesOf = ({ headers }: Response, prefix: string): string[] =>
  ['limit', 'remaining', 'reset', 'policy'].map((name) => headers.get(`${prefix}-ratelimit-${name}`) ?? '');
const limited = (policy: string, more: Readonly<Record<string, string>> = {}): Sent => ({
  headers: { 'svc-ratelimit-policy': policy, ...more },
});
const statusesOf = async (calls: readonly Sent[]): Promise<number[]> => {
  const statuses: number[] = [];
  for (const each of calls) statuses.push((await call(each)).status);
  return statuses;
};

describe('a call with a limit', () => {
  it('goes through with how the limit stands; the next is 429 with Retry-After, both on record', async () => {
    const first = await call(limited('1;w=3600'));
    expect([first.status, ...linesOf(first, 'svc'), first.headers.get('helicone-ratelimit-limit')]).toEqual([
      200,
      '1',
      '0',
      '3600',
      '1;w=3600',
      null,
    ]);
    const second = await call(limited('1;w=3600'));
    expect([second.status, ...linesOf(second, 'svc')]).toEqual([429, '1', '0', expect.any(String), '1;w=3600']);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(3500);
    const exchanges = await rig.exchanges(2);
    expect(exchanges.map(({ responseHead }) => responseHead?.status)).toEqual([200, 429]);
    expect(exchanges[1]?.open.requestId).toBe(second.headers.get('svc-id'));
    expect(exchanges[1]?.responseBody.toString()).toContain('"code":"rate_limited"');
    expect(exchanges.map(({ open }) => open.reserved)).toEqual([undefined, undefined]);
  });

  it('under the alias is told under both names', async () => {
    const response = await call({ headers: { 'helicone-ratelimit-policy': '1;w=60' } });
    expect(linesOf(response, 'helicone')).toEqual(linesOf(response, 'svc'));
    const refused = await call({ headers: { 'helicone-ratelimit-policy': '1;w=60' } });
    expect([refused.status, refused.headers.get('helicone-ratelimit-remaining')]).toEqual([429, '0']);
  });

  it('that is malformed is 422 on record, and nothing is forwarded', async () => {
    const response = await call(limited('10 per minute'));
    expect(response.status).toBe(422);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.responseBody.toString()).toContain('the quota \\"10 per minute\\" is no number');
  });

  it('carries the policy back as the bytes that came', async () => {
    const policy = Buffer.from('1;w=60;s=Größe').toString('latin1');
    const response = await call(limited(policy, { 'svc-properties': JSON.stringify({ Größe: 'x' }).replaceAll(/[^\0-\u007f]/g, 'o') }));
    expect(response.status).toBe(200);
    const own = await call({ headers: { 'svc-ratelimit-policy': policy, 'svc-properties': '{"Gr\\u00f6\\u00dfe":"x"}' } });
    expect([own.status, linesOf(own, 'svc')[3]]).toEqual([200, policy]);
  });
});

it('a call whose upload took longer than a window counts in the one that runs when it is there', async () => {
  gatewayTime = 1_000_000;
  const body = JSON.stringify({ model: 'echo/e', messages: [{ role: 'user', content: 'Hello' }] });
  const headers = ['Content-Type: application/json', 'Svc-RateLimit-Policy: 1;w=1', 'Expect: 100-continue'];
  const text = requestText('POST /v1/chat/completions', headers, body);
  const client = await openClient(rig.port);
  client.send(text.slice(0, -10));
  await client.until('100 Continue');
  gatewayTime += 10_000;
  expect((await call(limited('1;w=1'))).status).toBe(200);
  client.send(text.slice(-10));
  await client.until('rate_limited');
  expect(client.text()).toContain(' 429 ');
  client.socket.destroy();
});

describe('a segment', () => {
  it('by user is that of the header, else the one whom the body names; a call with neither is not limited', async () => {
    const policy = '1;w=60;s=user';
    const ann = limited(policy, { 'svc-user-id': 'ann' });
    const annInBody = { ...limited(policy), body: { user: 'ann' } };
    expect(await statusesOf([ann, annInBody, { ...limited(policy), body: { user: 'bob' } }])).toEqual([200, 429, 200]);
    expect(await statusesOf([limited(policy), limited(policy)])).toEqual([200, 200]);
  });

  it('by property looks for its name in any case, the exact one first', async () => {
    const policy = '1;w=60;s=Team';
    const search = limited(policy, { 'svc-property-team': 'search' });
    const exact = limited(policy, { 'svc-properties': '{"TEAM":"search","Team":"ads"}' });
    expect(await statusesOf([search, search, exact])).toEqual([200, 429, 200]);
    const bySession = limited('1;w=60;s=svc-session-id', { 'svc-session-id': 's' });
    expect(await statusesOf([bySession, bySession])).toEqual([200, 429]);
  });

  it('by session counts the one that a coding agent`s header names, as the record does, and none that its body alone names', async () => {
    const policy = '1;w=60;s=svc-session-id';
    const byAgent = limited(policy, { 'x-claude-code-session-id': 's-1' });
    expect(await statusesOf([byAgent, limited(policy, { 'svc-session-id': 's-1' }), byAgent])).toEqual([200, 429, 429]);
    const inBody = { ...limited(policy), body: { prompt_cache_key: '0197b000-0000-7000-8000-00000000000a' } };
    expect(await statusesOf([inBody, inBody])).toEqual([200, 200]);
  });
});

it('what a limit counts by is in no file, so that a body that must never touch a disk does not', async () => {
  const policy = { 'svc-ratelimit-policy': '100;w=60;s=user', 'svc-omit-request': 'strict' };
  const byUser = { headers: policy, body: { user: 'ann-in-a-body' } };
  const byProperty = limited('100;w=60;s=team', { 'svc-property-team': 'team-in-a-header' });
  expect(await statusesOf([byUser, byProperty])).toEqual([200, 200]);
  const files = readdirSync(folder).map((name) => readFileSync(path.join(folder, name)));
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((bytes) => bytes.includes('ann-in-a-body') || bytes.includes('team-in-a-header'))).toEqual([]);
});

describe('a stored limit', () => {
  it('holds for calls that bring none, and beside one that is brought; the stricter decides', async () => {
    stored = [parseLimitPolicy('2;w=60')];
    const first = await call();
    expect(linesOf(first, 'svc').slice(0, 2)).toEqual(['2', '1']);
    expect(await statusesOf([limited('100;w=90'), limited('100;w=90')])).toEqual([200, 429]);
    expect((await call(limited('1;w=90'))).status).toBe(429);
    stored = [];
    expect(linesOf(await call(limited('100;w=90')), 'svc')[1]).toBe('98');
  });

  it('is seen within five seconds of its change, holds for its key alone, and stays in force while it cannot be read', () => {
    let now = 0;
    let rows: readonly { policy: string; keyId: string | null }[] | Error = [];
    const observed: unknown[] = [];
    const limits = new StoredLimits({
      lookUp: () => {
        if (rows instanceof Error) throw rows;
        return rows;
      },
      monotonic: () => now,
      observe: (observation) => observed.push(observation),
    });
    const organization = 'one' as OrganizationId;
    const textsFor = (keyId: string): string[] => limits.policiesFor(organization, keyId).map(({ text }) => text);
    expect(textsFor('a')).toEqual([]);
    rows = [
      { policy: '1;w=60', keyId: null },
      { policy: '2;w=60', keyId: 'a' },
    ];
    now = 4999;
    expect([textsFor('a'), textsFor('b')]).toEqual([['1;w=60', '2;w=60'], ['1;w=60']]);
    rows = new Error('the database is away');
    now = 60_000;
    expect([textsFor('b'), observed]).toEqual([['1;w=60'], [{ kind: 'limits_failed', reason: 'the database is away' }]]);
    expect(() => limits.policiesFor('two' as OrganizationId, 'a')).toThrow(expect.objectContaining({ code: 'metadata_unavailable' }));
  });
});

describe('a budget', () => {
  const call1000 = { body: { max_tokens: 1000 } };

  it('sets aside what the call may cost at most, and the open frame says so', async () => {
    const response = await call({ ...limited('100;w=60;u=cents'), ...call1000 });
    const bytes = JSON.stringify({ model: 'e', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 1000 }).length;
    // The price of the echo provider: 1 and 2 USD a million, in cents.
    expect(Number(linesOf(response, 'svc')[1])).toBeCloseTo(100 - (bytes * 1 + 1000 * 2) / 10_000, 6);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.open.reserved).toBe(true);
    windows.settle([{ reservation: [exchange?.open.organizationId ?? '', exchange?.open.requestId ?? ''], amount: moneyOfUnits(0n) }]);
    // But for the seconds until the window ends.
    const [limit, remaining, , policy] = linesOf(response, 'svc');
    const again = linesOf(await call({ ...limited('100;w=60;u=cents'), ...call1000 }), 'svc');
    expect(again).toEqual([limit, remaining, expect.any(String), policy]);
  });

  it('reads the body of a provider`s own API too, and stands on a reply that is an error', async () => {
    const body = JSON.stringify({ model: 'claude-sonnet-4-20250514', max_tokens: 1000, messages: [] });
    const response = await fetch(`http://127.0.0.1:${rig.port}/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'svc-auth': `Bearer ${ourKey}`, 'x-api-key': 'theirs', 'svc-ratelimit-policy': '100;w=60;u=cents' },
      body,
    });
    // Claude Sonnet 4: 3 and 15 USD a million, in cents.
    const cents = (body.length * 3 + 1000 * 15) / 10_000;
    expect(response.status).toBe(502);
    expect(Number(linesOf(response, 'svc')[1])).toBeCloseTo(100 - cents, 6);
  });

  it('of which too little is left refuses, on record and without a reservation', async () => {
    const response = await call({ ...limited('0.1;w=60;u=cents'), ...call1000 });
    expect(response.status).toBe(429);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.open.reserved).toBeUndefined();
    expect(exchange?.responseBody.toString()).toContain('smaller than one such call');
  });

  it('sets the setting aside where nothing says how long the answer may become, and nothing for a call that makes none', async () => {
    const picture = { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] }] };
    expect(linesOf(await call({ ...limited('150;w=60;u=cents'), body: picture }), 'svc')[1]).toBe('50');
    const models = await fetch(`http://127.0.0.1:${rig.port}/v1/models`, {
      headers: { authorization: `Bearer ${ourKey}`, 'svc-ratelimit-policy': '150;w=60;u=cents' },
    });
    expect([models.status, models.headers.get('svc-ratelimit-remaining')]).toEqual([200, '50']);
  });

  it('refuses with 503 while the shared windows fail, where a limit of calls lets pass; an observation says so', async () => {
    breaks = true;
    const refused = await call({ ...limited('100;w=60;u=cents'), ...call1000 });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await call(limited('1;w=60'))).status).toBe(200);
    expect(rig.observed.filter(({ kind }) => kind === 'limits_failed')).toHaveLength(2);
    const [exchange] = await rig.exchanges(2);
    expect(exchange?.responseBody.toString()).toContain('"code":"limits_unavailable"');
  });
});

it('a call without any limit carries no line of limits', async () => {
  const response = await call();
  expect(linesOf(response, 'svc')).toEqual(['', '', '', '']);
});

describe('a body that is too large to be parsed beside all calls', () => {
  const content = 'a '.repeat(50_000);
  const messages = [{ role: 'user', content }];

  it('is one that is small, where a budget asks about many fallbacks of it', async () => {
    const { largeBodies } = rig.ports;
    const { summaries } = largeBodies;
    const read: number[] = [];
    Object.assign(largeBodies, {
      summaries: (...given: Parameters<typeof summaries>) => {
        read.push(given[2].length);
        return summaries(...given);
      },
    });
    const fallbacks = Array.from({ length: 9 }, (_, index) => ({ model: `echo/${index}` }));
    const headers = { 'svc-ratelimit-policy': '1000;w=60;u=cents', 'svc-fallbacks': JSON.stringify(fallbacks) };
    const answers = [];
    for (const length of [8000, 5000]) {
      answers.push(await call({ headers, body: { messages: [{ role: 'user', content: 'a'.repeat(length) }], max_tokens: 7 } }));
    }
    Object.assign(largeBodies, { summaries });
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(read).toEqual([10]);
  });

  it('counts for the user whom it names', async () => {
    const headers = { 'svc-ratelimit-policy': '1;w=60;s=user' };
    const statuses = [];
    for (const user of ['ann', 'ann', 'bob']) statuses.push((await call({ headers, body: { messages, user } })).status);
    expect(statuses).toEqual([200, 429, 200]);
  });

  it('sets aside what it may cost at most, by its own bytes', async () => {
    const { headers } = await call({ headers: { 'svc-ratelimit-policy': '1000;w=60;u=cents' }, body: { messages, max_tokens: 7 } });
    const bytes = JSON.stringify({ model: 'e', messages, max_tokens: 7 }).length;
    // A millionth of a dollar for each token of input, two for each of the answer.
    expect(headers.get('svc-ratelimit-remaining')).toBe(String((10_000_000 - bytes - 14) / 10_000));
  });

  it.each([
    ['with a budget', '1000;w=60;u=cents'],
    ['with a limit by user', '5;w=60;s=user'],
  ])('is refused where it cannot be read, and not let through: %s', async (_what, policy) => {
    const headers = { 'svc-ratelimit-policy': policy };
    const wide = { headers, body: { messages, x: Array.from({ length: 2_000_000 }, () => ({})) } };
    const answers = [await call(wide)];
    if (policy.includes('cents')) answers.push(await nested(policy, 20_000), await nested(policy, 200_000));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 413));
    expect((await rig.exchanges(answers.length)).length).toBe(answers.length);
  });
});

/** A call whose body holds lists in lists. */
async function nested(policy: string, levels: number): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${rig.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ourKey}`, 'content-type': 'application/json', 'svc-ratelimit-policy': policy },
    body: `{"model":"echo/e","messages":${'['.repeat(levels)}${']'.repeat(levels)}}`,
  });
  await response.arrayBuffer();
  return response;
}
