import { afterEach, describe, expect, it } from 'vitest';
import { type Money, moneyOfUnits } from '../../model/pricing/money.ts';
import {
  type Answer,
  attemptsOf,
  chat,
  closeAll,
  retrying,
  rigWith,
  type ScriptedProvider,
  scripted,
  streamWithUsage,
} from '../testing/scripted-provider.ts';
import { startCacheRig } from '../testing/cache-harness.ts';
import type { ForwardPorts } from '../call/ports.ts';
import type { EstimatedRequest } from '../../model/record/body-summary.ts';
import type { Rig, RigOptions } from '../testing/gateway-harness.ts';
import { call, ourKey, requestText } from '../testing/raw-http.ts';

afterEach(closeAll);

const at = ({ port }: ScriptedProvider): string => `http://127.0.0.1:${port}`;
const listed = (...list: readonly object[]): string => `Helicone-Fallbacks: ${JSON.stringify(list)}`;
const json = 'Content-Type: application/json';

/** Two addresses that a caller names, and a gateway that may reach them. */
async function targets(
  first: readonly Answer[],
  second: readonly Answer[] = [200],
  options: RigOptions = {},
): Promise<[Rig, ScriptedProvider, ScriptedProvider]> {
  const [one, two] = await Promise.all([scripted(...first), scripted(...second)]);
  const rig = await rigWith({ allowed: [`127.0.0.1:${one.port}`, `127.0.0.1:${two.port}`], ...options });
  return [rig, one, two];
}

describe('a list in Helicone`s form', () => {
  it('as Helicone documents it: each entry is an attempt with its own headers and body, after the statuses of the one before', async () => {
    const [rig, one, two] = await targets([403]);
    const list = listed(
      {
        'target-url': at(one),
        headers: { Authorization: 'Bearer one' },
        onCodes: [{ from: 400, to: 500 }],
      },
      {
        'target-url': at(two),
        headers: { 'api-key': 'two', 'Content-Type': 'application/json; v=2', 'Helicone-Auth': 'dropped' },
        onCodes: [401, 403],
        bodyKeyOverride: { model: 'gpt-35-turbo' },
      },
    );
    const response = await call(rig.port, chat([list, 'X-Caller: a'], '{"model":"gpt-4", "n":12345678901234567890}'));
    expect([response.status, response.header('helicone-fallback-index'), response.header('svc-attempts')]).toEqual([200, '1', '2']);
    expect([one.bodies, two.bodies]).toEqual([
      ['{"model":"gpt-4", "n":12345678901234567890}'],
      ['{"model":"gpt-35-turbo", "n":12345678901234567890}'],
    ]);
    expect([one.requests[0]?.url, one.heard('authorization'), one.heard('x-caller')]).toEqual([
      '/v1/chat/completions',
      ['Bearer one'],
      [undefined],
    ]);
    expect(['authorization', 'api-key', 'content-type', 'x-caller', 'helicone-auth'].map((name) => two.heard(name)[0])).toEqual([
      undefined,
      'two',
      'application/json; v=2',
      undefined,
      undefined,
    ]);
    const [exchange] = await rig.exchanges(1);
    expect(attemptsOf(exchange)?.map(([, status]) => status)).toEqual([403, 200]);
    expect([exchange?.open.targetUrl, exchange?.end?.model]).toEqual([`${at(two)}/v1/chat/completions`, 'gpt-35-turbo']);
  });

  it('goes to the next entry alone, and only after a status that the entry itself names', async () => {
    const [rig, one, two] = await targets([400, 429]);
    const next = { 'target-url': at(two), onCodes: [400] };
    const list = listed({ 'target-url': at(one), onCodes: [429] }, next, next);
    expect([(await call(rig.port, chat([list]))).status, two.requests.length]).toEqual([400, 0]);
    expect([(await call(rig.port, chat([list]))).status, two.requests.length]).toEqual([200, 1]);
  });

  it('an entry with no codes at all is the last', async () => {
    const [rig, one, two] = await targets([500]);
    const list = listed({ 'target-url': at(one), onCodes: [] }, { 'target-url': at(two) });
    expect([(await call(rig.port, chat([list]))).status, two.requests.length]).toEqual([500, 0]);
  });

  it('retries come first, at the same address with the same body', async () => {
    const [rig, one, two] = await targets([503]);
    const list = listed({ 'target-url': at(one), bodyKeyOverride: { user: 'b' } }, { 'target-url': at(two) });
    expect((await call(rig.port, chat([list, ...retrying(1)], '{"model":"a"}'))).header('svc-attempts')).toBe('3');
    expect([one.bodies, two.bodies]).toEqual([['{"model":"a","user":"b"}', '{"model":"a","user":"b"}'], ['{"model":"a"}']]);
  });

  it('its first entry is there in place of Svc-Target-Url, which svc-warning says', async () => {
    const [rig, one, two] = await targets([200]);
    const response = await call(rig.port, chat([listed({ 'target-url': at(one) }), `Svc-Target-Url: ${at(two)}`]));
    expect([one.requests.length, two.requests.length, response.header('svc-warning')]).toEqual([
      1,
      0,
      expect.stringContaining('Svc-Target-Url was not used'),
    ]);
  });

  it('asks for the usage of the stream that an entry asks for', async () => {
    const [rig, one, two] = await targets([500], [streamWithUsage]);
    const list = listed({ 'target-url': at(one) }, { 'target-url': at(two), bodyKeyOverride: { stream: true } });
    const response = await call(rig.port, chat([list, 'Svc-Stream-Usage: true'], '{"model":"a"}'));
    expect(JSON.parse(two.bodies[0] ?? '')).toEqual({ model: 'a', stream: true, stream_options: { include_usage: true } });
    expect(response.body.toString()).not.toContain('total_tokens');
  });
});

/** The addresses and heads of all calls that a provider got. */
const saidTo = ({ requests }: ScriptedProvider): string => JSON.stringify(requests.map(({ url, rawHeaders }) => [url, rawHeaders]));

describe('credentials of entries', () => {
  const secret = 'planted-secret';
  const planted = ['Authorization', 'x-api-key', 'api-key', 'Cookie', 'X-Custom-Token', 'aws-access-key', 'aws-secret-key'];

  it('what the caller sent goes to no entry, and what an entry has to no other', async () => {
    const [rig, one, two] = await targets([500]);
    const list = listed(
      { 'target-url': at(one), headers: { Authorization: 'Bearer of-one', 'X-Own': 'of-one', 'aws-secret-key': secret } },
      { 'target-url': at(two), headers: { 'X-Api-Key': 'of-two' } },
    );
    const lines = planted.map((name) => `${name}: ${name === 'Authorization' ? 'Bearer ' : ''}${secret}`);
    const headers = [json, `Svc-Auth: Bearer ${ourKey}`, ...lines, 'OpenAI-Beta: b=1', list];
    const response = await call(rig.port, requestText(`POST /v1/chat/completions?key=${secret}&v=1`, headers, '{"model":"a"}'));
    expect([response.status, response.header('svc-warning')]).toEqual([200, expect.stringContaining('aws-access-key')]);
    for (const provider of [one, two]) {
      expect(saidTo(provider)).not.toContain(secret);
      expect(saidTo(provider)).not.toContain(ourKey);
      expect([provider.requests[0]?.url, provider.heard('openai-beta')]).toEqual(['/v1/chat/completions?v=1', ['b=1']]);
    }
    expect([saidTo(one).includes('of-two'), saidTo(two).includes('of-one')]).toEqual([false, false]);
    expect([one.heard('authorization'), one.heard('x-own'), two.heard('x-api-key')]).toEqual([['Bearer of-one'], ['of-one'], ['of-two']]);
  });

  it('our headers, our keys and lines of the connection in an entry go nowhere', async () => {
    const [rig, one] = await targets([200]);
    const headers = {
      Authorization: `Bearer own, Bearer ${ourKey}`,
      'X-Other': `k ${ourKey}`,
      'Svc-User-Id': 'u',
      'Helicone-Auth': `Bearer ${ourKey}`,
      Host: 'elsewhere.example',
      'Transfer-Encoding': 'chunked',
      'Content-Length': '1',
      Connection: 'x-hop',
      'X-Hop': 'h',
    };
    const response = await call(rig.port, chat([listed({ 'target-url': at(one), headers })]));
    expect(response.status).toBe(200);
    expect(saidTo(one)).not.toContain(ourKey);
    expect(['authorization', 'host', 'x-hop', 'svc-user-id', 'content-length'].map((name) => one.heard(name)[0])).toEqual([
      'Bearer own',
      `127.0.0.1:${one.port}`,
      undefined,
      undefined,
      '18',
    ]);
    expect(JSON.stringify((await rig.exchanges(1))[0])).not.toContain('Bearer own');
  });
});

/** A price by the model, which is `dear` or any other. What is asked and set aside is told. */
const callLimits = (asked: EstimatedRequest[], reserved: bigint[]): ForwardPorts['callLimits'] => ({
  windows: {
    claim: (claims) => {
      reserved.push(...claims.map(({ amount }) => amount));
      return { granted: true, reserved: true, refused: undefined, states: [{ left: 1n, endsAt: Date.now() + 1000 }] };
    },
  },
  storedPolicies: () => [],
  estimateCost: (_organizationId, outgoing): Money => {
    asked.push(outgoing);
    const said = outgoing.found?.summary?.model ?? (JSON.parse(outgoing.body?.toString() ?? '{}') as { model?: string }).model;
    return moneyOfUnits(said === 'dear' ? 9n : 1n);
  },
  readUser: () => '',
});

describe('what was sent counts', () => {
  const budget = 'Svc-RateLimit-Policy: 100;w=60;u=cents';

  it.each([
    ['small', 'hello'],
    ['too large to be parsed beside other calls', 'x'.repeat(70_000)],
  ])('a budget sets aside the cost of the most expensive entry, as it is sent: a body that is %s', async (_name, content) => {
    const asked: EstimatedRequest[] = [];
    const reserved: bigint[] = [];
    const ports = { callLimits: callLimits(asked, reserved) };
    const limits = { routeMaxBytes: 1024 * 1024 };
    const [rig, one, two] = await targets([200], [200], { ports, limits });
    const list = listed(
      { 'target-url': at(one), bodyKeyOverride: { model: 'cheap', max_tokens: 5 } },
      { 'target-url': at(two) },
      { 'target-url': at(two), bodyKeyOverride: { model: 'dear', max_tokens: 7 } },
    );
    const messages = [{ role: 'user', content }];
    const response = await call(rig.port, chat([list, budget], JSON.stringify({ model: 'plain', messages, max_tokens: 6 })));
    expect([response.status, reserved]).toEqual([200, [9n]]);
    const read = asked.map(({ body, found }) => {
      const said = JSON.parse(body?.toString() ?? '{}') as { model?: string; max_tokens?: number };
      return [found?.summary?.model ?? said.model, found?.summary?.size.outputTokens ?? said.max_tokens];
    });
    expect(read).toEqual([
      ['cheap', 5],
      ['plain', 6],
      ['dear', 7],
    ]);
  });

  it('an entry may not hide a body from a budget behind another type of content', async () => {
    const asked: EstimatedRequest[] = [];
    const [rig, one] = await targets([200], [200], { ports: { callLimits: callLimits(asked, []) } });
    const list = listed({ 'target-url': at(one), headers: { 'Content-Type': 'application/json' } });
    const headers = ['Content-Type: application/octet-stream', `Svc-Auth: Bearer ${ourKey}`, list, budget];
    await call(rig.port, requestText('POST /v1/chat/completions', headers, '{"model":"dear"}'));
    expect(asked.map(({ body }) => body?.toString())).toEqual(['{"model":"dear"}']);
  });

  it('the record has the body of the attempt that answered, or was made last', async () => {
    const [rig, one, two] = await targets([200, 500, 500], [200]);
    const first = { 'target-url': at(one), bodyKeyOverride: { model: 'one' } };
    const body = '{"model":"plain","user":"me"}';
    await call(rig.port, chat([listed(first)], body));
    await call(rig.port, chat([listed(first, { 'target-url': at(two), bodyKeyOverride: { user: 'two', n: 2 } })], body));
    await call(rig.port, chat([listed(first, { 'target-url': at(two) })], body));
    const exchanges = await rig.exchanges(3);
    expect(exchanges.map(({ requestBody }) => Buffer.from(requestBody).toString())).toEqual([
      '{"model":"one","user":"me"}',
      '{"model":"plain","user":"two","n":2}',
      body,
    ]);
    expect(exchanges.map(({ end }) => end?.model)).toEqual(['one', 'plain', 'plain']);
    expect([one.bodies, two.bodies]).toEqual([
      ['{"model":"one","user":"me"}', '{"model":"one","user":"me"}', '{"model":"one","user":"me"}'],
      ['{"model":"plain","user":"two","n":2}', body],
    ]);
  });

  it('an override reaches no disk where the body must not', async () => {
    const [rig, one, two] = await targets([500]);
    const override = { bodyKeyOverride: { user: 'override-text' } };
    const list = listed({ 'target-url': at(one), ...override }, { 'target-url': at(two), ...override });
    expect((await call(rig.port, chat([list, 'Svc-Omit-Request: strict']))).status).toBe(200);
    const [exchange] = await rig.exchanges(1);
    expect(two.bodies[0]).toContain('override-text');
    expect(JSON.stringify(exchange)).not.toContain('override-text');
  });

  it('a call that a limit refuses has the caller`s own body on record', async () => {
    const limits = callLimits([], []);
    const windows: typeof limits.windows = {
      claim: () => ({ granted: false, reserved: false, refused: 0, states: [{ left: 0n, endsAt: Date.now() + 1000 }] }),
    };
    const [rig, one] = await targets([200], [200], { ports: { callLimits: { ...limits, windows } } });
    const list = listed({ 'target-url': at(one), bodyKeyOverride: { model: 'one' } });
    expect((await call(rig.port, chat([list, budget], '{"model":"plain"}'))).status).toBe(429);
    expect((await rig.exchanges(1))[0]?.requestBody.toString()).toBe('{"model":"plain"}');
  });

  it('the cache knows the call by the first entry, and keeps no later one`s reply', async () => {
    const [one, two] = await Promise.all([scripted(200, 200, 200, 500), scripted(200)]);
    const cache = await startCacheRig({ allowed: [`127.0.0.1:${one.port}`, `127.0.0.1:${two.port}`] });
    try {
      const send = async (model: string, headers = {}): Promise<unknown> => {
        const list = listed({ 'target-url': at(one), headers, bodyKeyOverride: { model } }, { 'target-url': at(two) });
        const response = await call(cache.rig.port, chat([list, 'Svc-Cache-Enabled: true'], '{"model":"plain"}'));
        return [response.header('svc-cache'), response.header('svc-fallback-index')];
      };
      expect([
        await send('a'),
        await send('a'),
        await send('a', { 'OpenAI-Beta': 'b=1' }),
        await send('b'),
        await send('c'),
        await send('c'),
      ]).toEqual([
        ['MISS', '0'],
        ['HIT', undefined],
        ['MISS', '0'],
        ['MISS', '0'],
        ['MISS', '1'],
        ['MISS', '1'],
      ]);
    } finally {
      await cache.close();
    }
  });
});

const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`h${index}`, '']));

describe('a list that cannot be', () => {
  const url = 'https://api.openai.com';
  it.each([
    ['ours and theirs mixed', [{ 'target-url': url }, { provider: 'groq' }], 'Helicone-Fallbacks[1] has the field "provider"'],
    ['no address', [{ 'target-url': url }, { headers: {} }], 'Helicone-Fallbacks[1].target-url must be a text'],
    [
      'an address that may not be called',
      [{ 'target-url': url }, { 'target-url': 'http://10.0.0.1' }],
      'Helicone-Fallbacks[1]: target-url',
    ],
    ['headers that are none', [{ 'target-url': url, headers: ['a'] }], 'Helicone-Fallbacks[0].headers must be an object'],
    ['a name that is none', [{ 'target-url': url, headers: { 'a b': 'c' } }], 'no name of a header'],
    ['a value that is none', [{ 'target-url': url, headers: { a: 7 } }], 'Helicone-Fallbacks[0].headers.a must be a text'],
    ['a value over two lines', [{ 'target-url': url, headers: { a: 'b\r\nc: d' } }], 'Helicone-Fallbacks[0].headers.a has characters'],
    ['too many headers', [{ 'target-url': url, headers: numbered(51) }], 'holds at most 50 headers'],
    ['another coding', [{ 'target-url': url, headers: { 'Content-Encoding': 'gzip' } }], '.headers.Content-Encoding cannot be set'],
    ['two hosts', [{ 'target-url': url, headers: { Host: 'a', host: 'b' } }], 'one Host header'],
    ['an override that is none', [{ 'target-url': url, bodyKeyOverride: [] }], 'Helicone-Fallbacks[0].bodyKeyOverride must be an object'],
    ['an override of more than 64 KiB', [{ 'target-url': url, bodyKeyOverride: { a: 'a'.repeat(65_536) } }], 'takes 65536 bytes'],
    [
      'an override of more than a hundred members',
      [{ 'target-url': url, bodyKeyOverride: numbered(101) }],
      'holds at most 100 members; got 101',
    ],
    ['codes of success', [{ 'target-url': url, onCodes: [200] }], 'Helicone-Fallbacks[0].onCodes[0] must be a status from 400'],
    [
      'half a pair of keys',
      [{ 'target-url': 'https://bedrock-runtime.us-east-1.amazonaws.com', headers: { 'aws-access-key': 'a' } }],
      'only one',
    ],
    ['eleven entries', Array.from({ length: 11 }, () => ({ 'target-url': url })), 'holds at most 10 fallbacks; got 11'],
  ])('%s: 422, with the place, and nothing is sent', async (_what, list, sentence) => {
    const [rig] = await targets([200]);
    const response = await call(rig.port, chat([listed(...list)]));
    expect([response.status, response.body.toString()]).toEqual([422, expect.stringContaining(JSON.stringify(sentence).slice(1, -1))]);
  });

  it.each(['[1]', 'no json', '{"model":"a"'])('an override for the body %s: 422, also of a later entry', async (body) => {
    const [rig, one, two] = await targets([500]);
    const list = listed({ 'target-url': at(one) }, { 'target-url': at(two), bodyKeyOverride: { model: 'a' } });
    const response = await call(rig.port, chat([list], body));
    expect([response.status, response.body.toString()]).toEqual([422, expect.stringContaining('bodyKeyOverride cannot be applied')]);
    expect(one.requests).toHaveLength(0);
  });

  it.each([
    ['as it came', 1024 * 1024, {}],
    ['as it is sent', 1024 * 1024 - 1000, { x: 'x'.repeat(2000) }],
    ['than what is recorded', 2000, {}],
    ['than what is held', 3 * 1024 * 1024, {}],
  ])('an override for a body that is larger %s: 413', async (name, bytes, more) => {
    const recordMaxBytes = name === 'than what is recorded' ? 1000 : 4 * 1024 * 1024;
    const [rig, one] = await targets([200], [200], { limits: { routeMaxBytes: 2 * 1024 * 1024, recordMaxBytes } });
    const list = listed({ 'target-url': at(one), bodyKeyOverride: { model: 'a', ...more } });
    const response = await call(rig.port, chat([list], JSON.stringify({ model: 'b', messages: 'x'.repeat(bytes) })));
    expect([response.status, response.body.toString()]).toEqual([413, expect.stringContaining('bodyKeyOverride takes bodies of')]);
    expect(one.requests).toHaveLength(0);
  });

  it('a body that is not held goes to the first entry alone, and says so', async () => {
    const [rig, one, two] = await targets([500]);
    const list = listed({ 'target-url': at(one) }, { 'target-url': at(two) });
    const response = await call(rig.port, chat([list], JSON.stringify({ model: 'b', x: 'x'.repeat(70_000) })));
    expect([response.status, response.header('svc-warning'), one.bodies[0]?.length, two.requests.length]).toEqual([
      500,
      expect.stringContaining('one attempt only'),
      70_020,
      0,
    ]);
  });

  it('a call without a body goes to the first entry alone, and says so', async () => {
    const [rig, one, two] = await targets([500]);
    const list = listed({ 'target-url': at(one) }, { 'target-url': at(two) });
    const response = await call(rig.port, requestText('GET /v1/files', [`Svc-Auth: Bearer ${ourKey}`, list]));
    expect([response.header('svc-warning'), one.requests.length, two.requests.length]).toEqual([
      expect.stringContaining('Svc-Fallbacks'),
      1,
      0,
    ]);
  });
});
