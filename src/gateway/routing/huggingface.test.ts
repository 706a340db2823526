import { InferenceClient } from '@huggingface/inference';
import { afterEach, describe, expect, it } from 'vitest';
import type { ProviderKeys } from '../credentials/stored-keys.ts';
import { chat, closeAll, fallbacks, rigWith, type ScriptedProvider, scripted } from '../testing/scripted-provider.ts';
import type { Rig, RigOptions } from '../testing/gateway-harness.ts';
import { call, ourKey, type RawResponse } from '../testing/raw-http.ts';

afterEach(closeAll);

const model = 'meta-llama/Llama-3.3-70B-Instruct:groq';

interface Place {
  readonly rig: Rig;
  readonly openai: ScriptedProvider;
  readonly hub: ScriptedProvider;
}

/** A gateway with OpenAI and Hugging Face, for neither of which the deployment has a key. */
async function place(options: RigOptions = {}, hubKey?: string): Promise<Place> {
  const [openai, hub] = await Promise.all([scripted(200), scripted(200)]);
  const providers = {
    openai: { baseUrl: `http://127.0.0.1:${openai.port}/v1` },
    huggingface: { baseUrl: `http://127.0.0.1:${hub.port}/v1`, ...(hubKey === undefined ? {} : { key: hubKey }) },
  };
  return { rig: await rigWith({ providers, ...options }), openai, hub };
}

/** The organisation has stored these keys. */
function storing(keys: Readonly<Record<string, string>>): RigOptions {
  const providerKeys: ProviderKeys = { find: (_organization, provider) => keys[provider], providersOf: () => new Set(Object.keys(keys)) };
  return { ports: { providerKeys } };
}

const ask = ({ rig }: Place, name: string, headers: readonly string[]): Promise<RawResponse> =>
  call(rig.port, chat(headers, JSON.stringify({ model: name })));
const got = ({ openai, hub }: Place): unknown => [
  [openai.bodies, openai.heard('authorization')],
  [hub.bodies, hub.heard('authorization')],
];
const body = (name: string): string => JSON.stringify({ model: name });
const none = [[], []];

describe('a model in Hugging Face`s form at the root', () => {
  it.each([model, 'deepseek-ai/DeepSeek-V3', 'openai/gpt-oss-120b:cerebras', 'google/gemma-3-27b-it', 'HuggingFaceTB/SmolLM3-3B:fastest'])(
    '%s goes there as it is with a key of Hugging Face`s',
    async (name) => {
      const where = await place();
      expect((await ask(where, name, ['Authorization: Bearer hf_caller'])).status).toBe(200);
      expect(got(where)).toEqual([none, [[body(name)], ['Bearer hf_caller']]]);
      const [exchange] = await where.rig.exchanges(1);
      expect([exchange?.open.provider, exchange?.open.model, exchange?.open.path]).toEqual(['huggingface', name, '/v1/chat/completions']);
    },
  );

  it('goes there with the key that the organisation has stored, never with the caller`s own for another', async () => {
    const where = await place(storing({ huggingface: 'hf_stored' }));
    await ask(where, model, ['Authorization: Bearer sk-callers-for-openai']);
    await ask(where, model, [`Authorization: Bearer ${ourKey}`]);
    expect(got(where)).toEqual([
      none,
      [
        [body(model), body(model)],
        ['Bearer hf_stored', 'Bearer hf_stored'],
      ],
    ]);
  });

  it('stays with a server that the deployment has for OpenAI, where only the deployment has a key of Hugging Face`s', async () => {
    const where = await place({}, 'hf_deployment');
    await ask(where, model, ['Authorization: Bearer own']);
    expect(got(where)).toEqual([[[body(model)], ['Bearer own']], none]);
  });

  it('goes on to OpenAI without any such key, or is told apart where that has none either', async () => {
    const where = await place();
    await ask(where, model, ['Authorization: Bearer own']);
    expect(got(where)).toEqual([[[body(model)], ['Bearer own']], none]);
    const refused = await ask(where, model, [`Authorization: Bearer ${ourKey}`]);
    expect([refused.status, refused.body.toString()]).toEqual([404, expect.stringContaining('huggingface')]);
  });

  it('is one of a list, and a fallback', async () => {
    const where = await place(storing({ huggingface: 'hf_stored', openai: 'sk-stored' }));
    await ask(where, `${model}, gpt-4o`, [`Authorization: Bearer ${ourKey}`]);
    expect(got(where)).toEqual([none, [[body(model)], ['Bearer hf_stored']]]);
    const failing = await scripted(500);
    const rig = await rigWith({
      providers: {
        openai: { baseUrl: `http://127.0.0.1:${failing.port}/v1` },
        huggingface: { baseUrl: `http://127.0.0.1:${where.hub.port}` },
      },
      ...storing({ huggingface: 'hf_stored', openai: 'sk-stored' }),
    });
    await call(rig.port, chat([`Authorization: Bearer ${ourKey}`, fallbacks({ model })], body('gpt-4o')));
    expect([failing.bodies.length, where.hub.bodies.length]).toEqual([1, 2]);
  });

  it.each(['a/b/c', 'a/', '/b', 'a b/c', 'a/b:', 'gpt-4o'])('%s has another form', async (name) => {
    const where = await place(storing({ huggingface: 'hf_stored' }));
    await ask(where, name, ['Authorization: Bearer hf_caller']);
    expect(where.hub.bodies).toEqual([]);
  });

  it('with its provider before it is another way to say so', async () => {
    const where = await place(storing({ huggingface: 'hf_stored' }));
    await ask(where, `huggingface/${model}`, [`Authorization: Bearer ${ourKey}`]);
    expect(got(where)).toEqual([none, [[body(model)], ['Bearer hf_stored']]]);
  });
});

const chunk = (text: string): string =>
  `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}]}\n\n`;
const clientAt = (rig: Rig, key: string): InferenceClient =>
  new InferenceClient(key, { endpointUrl: `http://127.0.0.1:${rig.port}/huggingface` });

describe('Hugging Face`s own client, at /huggingface', () => {
  const question = { model, messages: [{ role: 'user', content: 'When does the harbour open?' }] };

  it('a chat', async () => {
    const hub = await scripted((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        '{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"at six"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}',
      );
    });
    const rig = await rigWith({
      providers: { huggingface: { baseUrl: `http://127.0.0.1:${hub.port}/v1` } },
      ...storing({ huggingface: 'hf_stored' }),
    });
    const { choices } = await clientAt(rig, ourKey).chatCompletion(question);
    expect([choices[0]?.message.content, hub.heard('authorization'), hub.requests[0]?.url]).toEqual([
      'at six',
      ['Bearer hf_stored'],
      '/v1/chat/completions',
    ]);
    expect((await rig.exchanges(1))[0]?.open).toMatchObject({ provider: 'huggingface', path: '/huggingface/v1/chat/completions' });
  });

  it('a stream', async () => {
    const hub = await scripted((_request, response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(`${chunk('at ')}${chunk('six')}data: [DONE]\n\n`);
    });
    const rig = await rigWith({
      providers: { huggingface: { baseUrl: `http://127.0.0.1:${hub.port}` } },
      ...storing({ huggingface: 'hf_stored' }),
    });
    let text = '';
    for await (const { choices } of clientAt(rig, ourKey).chatCompletionStream(question)) text += choices[0]?.delta.content ?? '';
    expect(text).toBe('at six');
  });
});
