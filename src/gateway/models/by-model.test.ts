import { afterEach, describe, expect, it } from 'vitest';
import { chat, closeAll, fallbacks, rigWith, type ScriptedProvider, scripted } from '../testing/scripted-provider.ts';
import type { Rig, RigOptions } from '../testing/gateway-harness.ts';
import type { MakerOfModel } from './by-model.ts';
import { call, ourKey, type RawResponse, requestText } from '../testing/raw-http.ts';

afterEach(closeAll);

interface Place {
  readonly rig: Rig;
  readonly byName: Readonly<Record<string, ScriptedProvider>>;
}

const makers: Readonly<Record<string, ReturnType<MakerOfModel>>> = { 'claude-sonnet-4': 'anthropic', 'gemini-2.5-flash': 'gemini' };
const makerOf: MakerOfModel = (model) => makers[model];

const addressed = ['openai', 'anthropic', 'azure', 'openrouter', 'groq'];

/** A gateway with a provider at each address; the deployment has keys for all but OpenAI, whose key the caller brings. */
async function place(options: RigOptions = {}, openAiKey?: string): Promise<Place> {
  const found = await Promise.all(addressed.map(() => scripted(200)));
  const byName = Object.fromEntries(addressed.map((name, index) => [name, found[index]])) as Record<string, ScriptedProvider>;
  const providers = Object.fromEntries(
    addressed.map((name) => {
      const baseUrl = `http://127.0.0.1:${byName[name]?.port}/${name}/v1`;
      return [name, name === 'openai' && openAiKey === undefined ? { baseUrl } : { baseUrl, key: `deployment-${name}` }];
    }),
  );
  return { rig: await rigWith({ providers, ports: { makerOf }, ...options }), byName };
}

const ask = async ({ rig }: Place, model: string, headers: readonly string[] = []): Promise<RawResponse> =>
  call(rig.port, chat(headers, JSON.stringify({ model })));
const codeOf = ({ status, body }: RawResponse): unknown => [
  status,
  (JSON.parse(body.toString()) as { error: { code: string } }).error.code,
];
/** What each provider was asked for, by its name; of those that nobody called nothing. */
const asked = ({ byName }: Place): unknown =>
  Object.fromEntries(Object.entries(byName).flatMap(([name, { bodies }]) => (bodies.length === 0 ? [] : [[name, bodies.map(modelOf)]])));
const modelOf = (body: string): string => (JSON.parse(body) as { model: string }).model;

describe('a provider with ! before its name', () => {
  it.each([
    ['!openai,groq/llama', { groq: ['llama'] }],
    ['!openai, gpt-4o-mini, anthropic/claude', { anthropic: ['claude'] }],
    ['!anthropic,gpt-4o-mini', { openai: ['gpt-4o-mini'] }],
    ['!Google , !OPENAI,claude-sonnet-4', { anthropic: ['claude-sonnet-4'] }],
    ['gpt-4o,!openai,gpt-5', { openai: ['gpt-4o'] }],
  ])('%s: the models behind it are not asked of it', async (model, expected) => {
    const where = await place();
    expect([(await ask(where, model)).status, asked(where)]).toEqual([200, expected]);
  });

  it.each([
    '!openai',
    '!openai,gpt-4o-mini',
    '!nobody,groq/llama',
    '!,groq/llama',
    '!anthropic,claude-sonnet-4',
    '!openai,!groq',
    '!openai/gpt-4o',
  ])('%s: 422, and nobody is asked', async (model) => {
    const where = await place();
    expect([codeOf(await ask(where, model)), asked(where)]).toEqual([[422, 'invalid_model'], {}]);
  });

  it('is left out also where there is no key for it', async () => {
    const groq = await scripted(200);
    const rig = await rigWith({ providers: { groq: { baseUrl: `http://127.0.0.1:${groq.port}/v1`, key: 'k' } }, ports: { makerOf } });
    const response = await call(rig.port, chat([], '{"model":"!anthropic,claude-sonnet-4,groq/llama"}'));
    expect([response.status, groq.bodies]).toEqual([200, ['{"model":"llama"}']]);
    expect(codeOf(await call(rig.port, chat([], '{"model":"!anthropic,claude-sonnet-4"}')))).toEqual([422, 'invalid_model']);
  });

  it('holds for the fallbacks of the header too', async () => {
    const where = await place({}, 'deployment-openai');
    for (const list of [{ provider: 'openai' }, { model: 'gpt-5' }]) {
      expect(codeOf(await ask(where, '!openai,groq/llama', [fallbacks(list)]))).toEqual([422, 'invalid_model']);
    }
    expect([(await ask(where, '!openai,groq/llama', [fallbacks({ provider: 'anthropic' })])).status, asked(where)]).toEqual([
      200,
      { groq: ['llama'] },
    ]);
  });

  it('a model behind it that is skipped is no fallback', async () => {
    const where = await place();
    const { rig } = where;
    const response = await call(rig.port, chat([], '{"model":"groq/a,!openai,gpt-5,anthropic/b"}'));
    expect([response.header('svc-fallback-index'), asked(where)]).toEqual(['0', { groq: ['a'] }]);
  });
});

describe('a model with its provider', () => {
  it.each([
    ['gpt-4o/azure/eu-deployment', { azure: ['eu-deployment'] }],
    ['gpt-4o/azure/openai', { azure: ['openai'] }],
    ['gpt-4o/azure', { azure: ['gpt-4o'] }],
    ['openrouter/openai/gpt-4o:online', { openrouter: ['openai/gpt-4o:online'] }],
    ['gpt-4o/openrouter:online', { openrouter: ['gpt-4o:online'] }],
    ['openrouter/x/groq', { openrouter: ['x/groq'] }],
    ['ft:gpt-4o:acme::id/openai', { openai: ['ft:gpt-4o:acme::id'] }],
    ['meta-llama/llama-3', { openai: ['meta-llama/llama-3'] }],
    ['accounts/fireworks/models/y', { openai: ['accounts/fireworks/models/y'] }],
  ])('%s', async (model, expected) => {
    const where = await place();
    expect([(await ask(where, model)).status, asked(where)]).toEqual([200, expected]);
  });

  it.each([
    'gpt-4o/azure/',
    'gpt-4o/azure/a/b',
    '/azure/a',
    'gpt-4o/groq/mine',
    // Two providers claim these.
    'openai/gpt-oss-120b/groq',
    'openai/gpt-4o/openrouter:online',
    'gpt-4o-mini/openai:online',
    'gpt-4o-mini:online/openai',
    'groq/llama:online',
    'gpt-4o/groq:fast',
  ])('%s: 422, and nobody is asked', async (model) => {
    const where = await place();
    expect([codeOf(await ask(where, model)), asked(where)]).toEqual([[422, 'invalid_model'], {}]);
  });
});

describe('a bare name that another maker lists and OpenAI does not', () => {
  it('goes to its maker with the deployment`s key; what the caller sent for OpenAI does not', async () => {
    const where = await place();
    const response = await ask(where, 'claude-sonnet-4', ['X-Team-Token: secret']);
    const { anthropic } = where.byName;
    expect([response.status, asked(where), anthropic?.heard('authorization'), anthropic?.heard('x-team-token')]).toEqual([
      200,
      { anthropic: ['claude-sonnet-4'] },
      ['Bearer deployment-anthropic'],
      [undefined],
    ]);
    expect((await where.rig.exchanges(1))[0]?.open).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4' });
  });

  it('nor does a credential in the query', async () => {
    const where = await place();
    const text = requestText(
      'POST /v1/chat/completions?key=secret&beta=1',
      ['Content-Type: application/json', `Svc-Auth: Bearer ${ourKey}`],
      '{"model":"claude-sonnet-4"}',
    );
    expect((await call(where.rig.port, text)).status).toBe(200);
    expect(where.byName['anthropic']?.requests.map(({ url }) => url)).toEqual(['/anthropic/v1/chat/completions?beta=1']);
  });

  it('in a list and as a fallback too', async () => {
    const where = await place({}, 'deployment-openai');
    await ask(where, 'claude-sonnet-4,gpt-4o');
    expect(asked(where)).toEqual({ anthropic: ['claude-sonnet-4'] });
    const { anthropic } = where.byName;
    const providers = {
      openai: { baseUrl: `http://127.0.0.1:${(await scripted(500)).port}/v1` },
      anthropic: { baseUrl: `http://127.0.0.1:${anthropic?.port}`, key: 'second' },
    };
    const rig = await rigWith({ providers, ports: { makerOf } });
    await call(rig.port, chat([fallbacks({ model: 'claude-sonnet-4' })]));
    expect(anthropic?.heard('authorization')).toEqual(['Bearer deployment-anthropic', 'Bearer second']);
  });

  it('without a key for its maker: 404 that names both ways out, and nobody is asked', async () => {
    const rig = await rigWith({ ports: { makerOf } });
    const response = await call(rig.port, chat([], '{"model":"claude-sonnet-4"}'));
    expect([codeOf(response), response.body.toString()]).toEqual([
      [404, 'unknown_model'],
      expect.stringContaining('anthropic/claude-sonnet-4'),
    ]);
    expect(response.body.toString()).toContain('GATELOG_PROVIDER_ANTHROPIC_KEY');
  });

  it('where the deployment has an address of its own for OpenAI, whatever is there gets it when there is no key', async () => {
    const where = await place();
    expect([(await ask(where, 'gemini-2.5-flash')).status, asked(where)]).toEqual([200, { openai: ['gemini-2.5-flash'] }]);
  });

  it('stays with OpenAI where the organisation has a price for it there', async () => {
    const where = await place({ ports: { makerOf, knownModels: (name) => (name === 'openai' ? ['claude-sonnet-4'] : []) } });
    await ask(where, 'claude-sonnet-4');
    expect(asked(where)).toEqual({ openai: ['claude-sonnet-4'] });
  });
});

/** The reply to a call without a key for a provider. */
async function refused(body: string): Promise<RawResponse> {
  const rig = await rigWith({});
  return call(
    rig.port,
    requestText('POST /v1/chat/completions', ['Content-Type: application/json', `Authorization: Bearer ${ourKey}`], body),
  );
}

describe('a call for which there is no key of OpenAI`s', () => {
  it('a prefix that is no provider`s name is told as one, with those that there are', async () => {
    const response = await refused('{"model":"antropic/claude-sonnet-4"}');
    expect([codeOf(response), response.body.toString()]).toEqual([[404, 'unknown_provider'], expect.stringContaining('antropic')]);
    expect(response.body.toString()).toContain('anthropic, gemini');
  });

  it.each([
    ['{"model":"echo"}', 'The model \\"echo\\" names no provider'],
    ['{"messages":[]}', 'The body names no model'],
    ['{bad', 'The body is no JSON'],
  ])('%s: the sentence says why OpenAI was meant', async (body, sentence) => {
    const response = await refused(body);
    expect([codeOf(response), response.body.toString()]).toEqual([[401, 'no_provider_key'], expect.stringContaining(sentence)]);
  });
});
