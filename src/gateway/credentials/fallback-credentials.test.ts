import { afterEach, describe, expect, it } from 'vitest';
import { chat, closeAll, fallbacks, scene, scripted, type ScriptedProvider } from '../testing/scripted-provider.ts';
import { call, ourKey, requestText } from '../testing/raw-http.ts';

afterEach(closeAll);

const json = 'Content-Type: application/json';
/** The addresses and heads of all calls that a provider got. */
const saidTo = ({ requests }: ScriptedProvider): string => JSON.stringify(requests.map(({ url, rawHeaders }) => [url, rawHeaders]));

describe('credentials never cross', () => {
  const secret = 'planted-secret';
  const planted = [
    `Authorization: Bearer ${secret}`,
    `x-api-key: ${secret}`,
    `api-key: ${secret}`,
    `Cookie: session=${secret}`,
    `X-Custom-Token: ${secret}`,
    `OpenAI-Organization: ${secret}`,
  ];
  const withSecrets = (headers: readonly string[]): string =>
    requestText(
      `POST /v1/chat/completions?api-version=1&key=${secret}&sig=${secret}`,
      [json, `Svc-Auth: Bearer ${ourKey}`, ...planted, 'OpenAI-Beta: b=1', 'X-Stainless-Lang: js', ...headers],
      '{"model":"gpt-4o"}',
    );

  it('to other addresses go neither the caller`s credentials nor headers that may hold one', async () => {
    const { rig, first, second, third } = await scene({ second: [500] });
    const list = fallbacks({ provider: 'anthropic' }, { target_url: `http://127.0.0.1:${third.port}` });
    expect((await call(rig.port, withSecrets([list]))).status).toBe(200);
    // All but `x-api-key`, which is never OpenAI's, and the two of the query.
    expect(saidTo(first).split(secret).length - 1).toBe(planted.length - 1 + 2);
    for (const other of [second, third]) {
      expect(saidTo(other)).not.toContain(secret);
      expect(saidTo(other)).not.toContain(ourKey);
      expect([other.requests[0]?.url, other.heard('openai-beta'), other.heard('x-stainless-lang')]).toEqual([
        '/v1/chat/completions?api-version=1',
        ['b=1'],
        ['js'],
      ]);
    }
  });

  it('each provider gets the deployment`s key for it alone, an address of the caller`s none', async () => {
    const { rig, first, second, third } = await scene({ second: [500] });
    const list = fallbacks({ provider: 'anthropic' }, { target_url: `http://127.0.0.1:${third.port}/groq` });
    await call(rig.port, withSecrets([list]));
    expect([first, second, third].map((provider) => saidTo(provider).match(/deployment-\w+/g))).toEqual([
      null,
      ['deployment-anthropic'],
      null,
    ]);
  });

  it('the address that the caller`s credential was for in the first place gets it again', async () => {
    const { rig, third } = await scene({ third: [500, 500, 200] });
    const base = `http://127.0.0.1:${third.port}`;
    const list = fallbacks({ target_url: `${base}/one/`, model: 'b' }, { model: 'c' });
    await call(rig.port, chat([`Svc-Target-Url: ${base}/one`, list]));
    const path = '/one/v1/chat/completions';
    expect([third.requests.map(({ url }) => url), third.heard('authorization')]).toEqual([
      [path, path, path],
      ['Bearer caller-key', 'Bearer caller-key', 'Bearer caller-key'],
    ]);
  });

  it('another address of the same host does not, nor does another provider at the same address', async () => {
    const { rig, third } = await scene({ third: [500, 500, 200] });
    const base = `http://127.0.0.1:${third.port}`;
    const list = fallbacks({ target_url: `${base}/openai` }, { provider: 'groq', model: 'llama' });
    await call(rig.port, chat([`Svc-Target-Url: ${base}/one`, 'Cookie: a=caller-cookie', list]));
    const heard = third.requests.map(({ url, headers }) => [url, headers.authorization, headers.cookie]);
    expect(heard).toEqual([
      ['/one/v1/chat/completions', 'Bearer caller-key', 'a=caller-cookie'],
      ['/openai/v1/chat/completions', undefined, undefined],
      ['/openai/v1/chat/completions', 'Bearer deployment-groq', undefined],
    ]);
  });

  it('two providers behind one proxy each get their own', async () => {
    const proxy = await scripted(500, 200);
    const at = (name: string): string => `http://127.0.0.1:${proxy.port}/${name}/v1`;
    const { rig } = await scene(
      {},
      { providers: { openai: { baseUrl: at('openai') }, groq: { baseUrl: at('groq'), key: 'deployment-groq' } } },
    );
    expect((await call(rig.port, chat(['api-key: caller-key', fallbacks({ provider: 'groq' })]))).status).toBe(200);
    expect(proxy.requests.map(({ url, headers }) => [url, headers.authorization, headers['api-key']])).toEqual([
      ['/openai/v1/chat/completions', 'Bearer caller-key', 'caller-key'],
      ['/groq/v1/chat/completions', 'Bearer deployment-groq', undefined],
    ]);
  });

  it('also where it stands in the query, as Google`s may', async () => {
    const google = await scripted(503, 200);
    const { rig } = await scene({}, { providers: { gemini: { baseUrl: `http://127.0.0.1:${google.port}` } } });
    const path = '/v1beta/openai/chat/completions?key=caller-key';
    const sent = requestText(`POST /gemini${path}`, [json, `Svc-Auth: Bearer ${ourKey}`, fallbacks({ model: 'b' })], '{"model":"a"}');
    expect((await call(rig.port, sent)).status).toBe(200);
    expect([google.requests.map(({ url }) => url), google.bodies]).toEqual([
      [path, path],
      ['{"model":"a"}', '{"model":"b"}'],
    ]);
  });

  it('a caller without a credential of its own uses the deployment`s, place by place', async () => {
    const { rig, second, third } = await scene({ third: [500] });
    const sent = requestText(
      'POST /v1/chat/completions',
      [json, `Authorization: Bearer ${ourKey}`],
      '{"model":"groq/llama,anthropic/claude"}',
    );
    expect((await call(rig.port, sent)).status).toBe(200);
    expect([third.heard('authorization'), second.heard('authorization')]).toEqual([
      ['Bearer deployment-groq'],
      ['Bearer deployment-anthropic'],
    ]);
  });
});

describe('keys that the organisation has stored', () => {
  const stored: Readonly<Record<string, string>> = {
    'groq ': 'stored-groq',
    'groq second': 'stored-second',
    'openai spare': 'stored-spare',
  };
  const ports = {
    providerKeys: {
      find: (_organizationId: string, provider: string, name = '') => stored[`${provider} ${name}`],
      providersOf: () => new Set<string>(),
    },
  };

  it('go before the deployment`s, and by name before the caller`s own', async () => {
    const { rig, first, third } = await scene({ third: [500] }, { ports });
    const list = fallbacks({ provider: 'groq' }, { provider: 'groq', key_name: 'second' }, { key_name: 'spare' });
    await call(rig.port, chat([list]));
    expect([first.heard('authorization'), third.heard('authorization')]).toEqual([
      ['Bearer caller-key', 'Bearer stored-spare'],
      ['Bearer stored-groq', 'Bearer stored-second'],
    ]);
  });

  it('a name that is not theirs is 422', async () => {
    const { rig, first } = await scene({}, { ports });
    const response = await call(rig.port, chat([fallbacks({ provider: 'groq', key_name: 'spare' })]));
    expect([response.status, response.body.toString()]).toEqual([422, expect.stringContaining('Svc-Fallbacks[0]: no stored key of groq')]);
    expect(first.requests).toEqual([]);
  });
});
