import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, attemptsOf, chat, closeAll, rigWith, type ScriptedProvider, scripted } from './attempts-rig.ts';
import type { Rig } from './gateway-rig.ts';
import { call, ourKey, requestText } from './wire-rig.ts';

afterEach(closeAll);

/** Two providers that a caller names by their addresses, as clients of Helicone's API do, and a gateway that may reach them. */
async function places(first: readonly Answer[], second: readonly Answer[] = [200]): Promise<[Rig, ScriptedProvider, ScriptedProvider]> {
  const [one, two] = await Promise.all([scripted(...first), scripted(...second)]);
  const rig = await rigWith({ allowed: [`127.0.0.1:${one.port}`, `127.0.0.1:${two.port}`] });
  return [rig, one, two];
}

const at = ({ port }: ScriptedProvider): string => `http://127.0.0.1:${port}`;
const listed = (...list: readonly object[]): string => `Helicone-Fallbacks: ${JSON.stringify(list)}`;

describe('a list of places, the first one among them', () => {
  it('goes to each with its own headers and body, after the failures of the one before; the record has the caller`s body', async () => {
    const [rig, one, two] = await places([403], [200]);
    const list = listed(
      { 'target-url': at(one), headers: { Authorization: 'Bearer one' }, onCodes: [{ from: 400, to: 500 }] },
      {
        'target-url': at(two),
        headers: { 'api-key': 'two', 'Content-Type': 'application/json; charset=utf-8', 'Helicone-Auth': 'dropped' },
        onCodes: [401, 403],
        bodyKeyOverride: { model: 'zephyr-chat' },
      },
    );
    const reply = await call(rig.port, chat([list, 'X-Caller: a'], '{"model":"gpt-4", "n":12345678901234567890}'));
    expect([reply.status, reply.header('helicone-fallback-index'), reply.header('svc-attempts')]).toEqual([200, '1', '2']);
    expect([one.bodies, two.bodies]).toEqual([
      ['{"model":"gpt-4", "n":12345678901234567890}'],
      ['{"model":"zephyr-chat", "n":12345678901234567890}'],
    ]);
    expect([one.heard('authorization'), one.heard('x-caller')]).toEqual([['Bearer one'], ['a']]);
    expect(['authorization', 'api-key', 'content-type', 'x-caller', 'helicone-auth'].map((name) => two.heard(name)[0])).toEqual([
      undefined,
      'two',
      'application/json; charset=utf-8',
      undefined,
      undefined,
    ]);
    const [exchange] = await rig.exchanges(1);
    expect(exchange?.requestBody.toString()).toBe('{"model":"gpt-4", "n":12345678901234567890}');
    expect(exchange?.end?.model).toBe('zephyr-chat');
    expect(attemptsOf(exchange)?.map(([, status]) => status)).toEqual([403, 200]);
  });

  it('stops at a status that the place does not name', async () => {
    const [rig, one, two] = await places([400]);
    const next = { 'target-url': at(two), headers: {}, onCodes: [400] };
    const list = listed({ 'target-url': at(one), headers: {}, onCodes: [500] }, next, next);
    expect((await call(rig.port, chat([list]))).status).toBe(400);
    expect(two.requests).toHaveLength(0);
  });

  it('of one place alone is as Svc-Target-Url, with other members in the body', async () => {
    const [rig, one] = await places([200]);
    const list = listed({ 'target-url': at(one), bodyKeyOverride: { model: 'a', temperature: 0 } });
    expect((await call(rig.port, chat([list], '{"model":"gpt-4","top_p":1}'))).status).toBe(200);
    expect([one.bodies, one.requests[0]?.url]).toEqual([['{"model":"a","top_p":1,"temperature":0}'], '/v1/chat/completions']);
    expect((await rig.exchanges(1))[0]?.end?.model).toBe('a');
  });

  it('the caller`s own key goes to the first place, where that has none of its own, and to no other', async () => {
    const [rig, one, two] = await places([500]);
    const list = listed({ 'target-url': at(one) }, { 'target-url': at(two) });
    expect((await call(rig.port, chat([list]))).status).toBe(200);
    expect([one.heard('authorization'), two.heard('authorization')]).toEqual([['Bearer caller-key'], [undefined]]);
  });

  it('what one place changes in the body is not changed for the next', async () => {
    const [rig, one, two] = await places([500]);
    const list = listed({ 'target-url': at(one), bodyKeyOverride: { model: 'a', user: 'b' } }, { 'target-url': at(two) });
    await call(rig.port, chat([list], '{"model":"gpt-4"}'));
    expect([one.bodies, two.bodies]).toEqual([['{"model":"a","user":"b"}'], ['{"model":"gpt-4"}']]);
  });
});

describe('a list of places that cannot be', () => {
  const url = 'https://api.openai.com';
  it.each([
    ['ours and theirs mixed', [{ 'target-url': url }, { provider: 'groq' }], 'Helicone-Fallbacks[1] has the field "provider"'],
    ['no address', [{ 'target-url': url }, { headers: {} }], 'Helicone-Fallbacks[1].target-url must be a text'],
    ['an address that may not be called', [{ 'target-url': 'http://10.0.0.1' }], 'Helicone-Fallbacks[0].target-url'],
    ['headers that are none', [{ 'target-url': url, headers: ['a'] }], 'Helicone-Fallbacks[0].headers must be an object'],
    ['a name that is none', [{ 'target-url': url, headers: { 'a b': 'c' } }], 'no name of a header'],
    ['a value over two lines', [{ 'target-url': url, headers: { a: 'b\r\nc: d' } }], 'Helicone-Fallbacks[0].headers.a has characters'],
    ['what the connection says', [{ 'target-url': url, headers: { Host: 'c' } }], 'Helicone-Fallbacks[0].headers.Host is said by'],
    ['a key of ours', [{ 'target-url': url, headers: { a: `Bearer ${ourKey}` } }], 'Helicone-Fallbacks[0].headers.a holds a Gatelog key'],
    [
      'another kind of reply',
      [{ 'target-url': url, bodyKeyOverride: { stream: true } }],
      'Helicone-Fallbacks[0].bodyKeyOverride has "stream"',
    ],
    ['codes of success', [{ 'target-url': url, onCodes: [200] }], 'Helicone-Fallbacks[0].onCodes[0] must be a status from 400'],
    ['twelve places', Array.from({ length: 12 }, () => ({ 'target-url': url })), 'holds at most 11 places; got 12'],
  ])('%s: 422 or 403, with the place, and no call', async (_what, list, sentence) => {
    const [rig] = await places([200]);
    const reply = await call(rig.port, chat([listed(...list)]));
    expect([422, 403]).toContain(reply.status);
    expect(reply.body.toString()).toContain(JSON.stringify(sentence).slice(1, -1));
    expect(reply.body.toString()).not.toContain(ourKey);
  });

  it('and an address in Svc-Target-Url that is another: 422', async () => {
    const [rig, one, two] = await places([200]);
    const reply = await call(rig.port, chat([listed({ 'target-url': at(one) }), `Svc-Target-Url: ${at(two)}`]));
    expect([reply.status, reply.body.toString()]).toEqual([422, expect.stringContaining('name two first places')]);
  });

  it('for a body in which nothing can be replaced, in the first place or behind it: 422', async () => {
    const [rig, one, two] = await places([500]);
    const change = { bodyKeyOverride: { model: 'a' } };
    for (const list of [[{ 'target-url': at(one), ...change }], [{ 'target-url': at(one) }, { 'target-url': at(two), ...change }]]) {
      const headers = ['Content-Type: application/json', `Svc-Auth: Bearer ${ourKey}`, listed(...list)];
      const reply = await call(rig.port, requestText('POST /v1/chat/completions', headers, '[1]'));
      expect([reply.status, reply.body.toString()]).toEqual([422, expect.stringContaining('bodyKeyOverride cannot be applied')]);
    }
    expect(one.requests).toHaveLength(0);
  });
});
