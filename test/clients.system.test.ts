import { randomUUID } from 'node:crypto';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, type GenerateContentResponse } from '@google/genai';
import { createHelicone } from '@helicone/ai-sdk-provider';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import * as ai5 from 'ai5';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestItem } from '../src/contract/requests/item.ts';
import { apiClient, type ApiClient } from './support/api.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { type RecordedProvider, startRecordedProvider } from './support/recorded-provider.ts';

const dataDir = makeDataDir();
let service: Service;
let provider: RecordedProvider;
let api: ApiClient;

beforeAll(async () => {
  provider = await startRecordedProvider();
  service = await startService({
    dataDir,
    environment: {
      GATELOG_INGEST_INTERVAL_MS: '20',
      GATELOG_PROVIDER_OPENAI_URL: `${provider.origin}/v1`,
      GATELOG_PROVIDER_OPENAI_KEY: 'deployment-key',
      GATELOG_PROVIDER_ANTHROPIC_URL: provider.origin,
      GATELOG_PROVIDER_ANTHROPIC_KEY: 'deployment-key',
      GATELOG_PROVIDER_GEMINI_URL: provider.origin,
      GATELOG_PROVIDER_GEMINI_KEY: 'deployment-key',
    },
  });
  api = apiClient(service.api);
});

afterAll(async () => {
  await service?.stop();
  await provider?.close();
  removeDataDir(dataDir);
});

/** The settings of a client. */
interface Settings {
  readonly apiKey: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The two ways to pass a Gatelog key, and the provider key that then arrives. */
const ways: readonly (readonly [name: string, settings: Settings, providerKey: string])[] = [
  ['our key as its API key', { apiKey: testKey, headers: {} }, 'deployment-key'],
  ['its own key, ours in Svc-Auth', { apiKey: 'caller-key', headers: { 'Svc-Auth': `Bearer ${testKey}` } }, 'caller-key'],
];

/** One use of an official client: makes the call and returns the client's view of the response. */
interface Use {
  readonly name: string;
  readonly run: (settings: Settings) => Promise<unknown>;
  readonly says: unknown;
  readonly record: Partial<RequestItem>;
}

const prompt = 'When does the harbour open?';
const messages = [{ role: 'user' as const, content: prompt }];
const harbour = 'The harbour opens at six, and the first ferry leaves at 6:20.';
const sunrise = 'The harbour opens at six 🌅, and the first ferry leaves at 6:20.';
const port = { type: 'object' as const, properties: { port: { type: 'string' as const } } };

// 166 × 2.50 $ + 1,664 cached × 1.25 $ + 17 × 10 $, for a million tokens each.
const chatRecord = { provider: 'OPENAI', model: 'gpt-4o-2024-08-06', prompt_tokens: 1830, completion_tokens: 17, cost: 0.002665 };
const chatToolsRecord = { provider: 'OPENAI', model: 'gpt-4o-2024-08-06' };
// 166 × 0.25 $ + 1,664 cached × 0.025 $ + 117 × 2 $.
const responsesRecord = {
  provider: 'OPENAI',
  model: 'gpt-5-mini-2025-08-07',
  prompt_tokens: 1830,
  completion_tokens: 117,
  cost: 0.0003171,
};
// 41 × 3 $ + 2,048 read from the cache × 0.30 $ + 200 written × 3.75 $ + 1,000 written for an hour × 6 $ + 23 × 15 $.
const messagesRecord = {
  provider: 'ANTHROPIC',
  model: 'claude-sonnet-4-5-20250929',
  prompt_tokens: 3289,
  completion_tokens: 23,
  cost: 0.0078324,
};
// 606 × 0.30 $ + 924 cached × 0.03 $ + 200 audio × 1 $ + 100 cached audio × 0.10 $ + 101 × 2.50 $.
const geminiRecord = { provider: 'GOOGLE', model: 'gemini-2.5-flash', prompt_tokens: 1830, completion_tokens: 101, cost: 0.00067202 };

const openAi = ({ apiKey, headers }: Settings): OpenAI =>
  new OpenAI({ baseURL: `${service.gateway}/v1`, apiKey, defaultHeaders: headers, maxRetries: 0 });

const chatTools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'timetable', parameters: port } }];

const openAiUses: readonly Use[] = [
  {
    name: 'chat',
    run: async (settings) => (await openAi(settings).chat.completions.create({ model: 'gpt-4o', messages })).choices[0]?.message.content,
    says: harbour,
    record: chatRecord,
  },
  {
    name: 'chat, streamed',
    run: async (settings) => {
      const stream = openAi(settings).chat.completions.stream({ model: 'gpt-4o', messages, stream_options: { include_usage: true } });
      return stream.finalContent();
    },
    says: harbour,
    record: chatRecord,
  },
  {
    name: 'chat with tools',
    run: async (settings) => {
      const { choices } = await openAi(settings).chat.completions.create({ model: 'gpt-4o', messages, tools: chatTools });
      return choices[0]?.message.tool_calls?.map((call) => call.type === 'function' && call.function);
    },
    says: [{ name: 'timetable', arguments: '{"port":"Malmö"}' }, expect.objectContaining({ name: 'weather' })],
    record: chatToolsRecord,
  },
  {
    name: 'chat with tools, streamed',
    run: async (settings) => {
      const stream = openAi(settings).chat.completions.stream({ model: 'gpt-4o', messages, tools: chatTools });
      const { choices } = await stream.finalChatCompletion();
      return choices[0]?.message.tool_calls?.map((call) => call.type === 'function' && call.function.arguments)[0];
    },
    says: '{"port":"Malmö"}',
    record: chatToolsRecord,
  },
  {
    name: 'responses',
    run: async (settings) => (await openAi(settings).responses.create({ model: 'gpt-5-mini', input: prompt })).output_text,
    says: sunrise,
    record: responsesRecord,
  },
  {
    name: 'responses, streamed',
    run: async (settings) => {
      const stream = openAi(settings).responses.stream({ model: 'gpt-5-mini', input: prompt });
      return (await stream.finalResponse()).output_text;
    },
    says: sunrise,
    record: responsesRecord,
  },
  {
    name: 'embeddings',
    run: async (settings) => {
      const body = { model: 'text-embedding-3-small', input: prompt, encoding_format: 'float' } as const;
      return (await openAi(settings).embeddings.create(body)).data.length > 0;
    },
    says: true,
    record: { provider: 'OPENAI', prompt_tokens: 9 },
  },
  {
    name: 'images',
    run: async (settings) => (await openAi(settings).images.generate({ model: 'gpt-image-1', prompt })).data?.[0]?.b64_json,
    says: 'iVBORw0KGgo=',
    record: { provider: 'OPENAI', request_model: 'gpt-image-1', prompt_tokens: 28, completion_tokens: 272 },
  },
  {
    name: 'transcription of an uploaded file',
    run: async (settings) => {
      const file = await toFile(Buffer.from([0xff, 0xfb, 0x00]), 'a.mp3');
      return (await openAi(settings).audio.transcriptions.create({ model: 'gpt-4o-mini-transcribe', file })).text;
    },
    says: 'The harbour opens at six, and the Öresund leaves at 6:20.',
    record: { provider: 'OPENAI', request_model: 'gpt-4o-mini-transcribe', prompt_tokens: 150, completion_tokens: 23 },
  },
];

function textOf(content: Anthropic.Message['content']): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Names and inputs of the tools that a message calls. */
function usesOf(content: Anthropic.Message['content']): unknown[] {
  return content.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.input]] : []));
}

function anthropicUses(base: string): readonly Use[] {
  const anthropic = ({ apiKey, headers }: Settings): Anthropic =>
    new Anthropic({ baseURL: service.gateway + base, apiKey, defaultHeaders: headers, maxRetries: 0 });
  const body = { model: 'claude-sonnet-4-6', max_tokens: 100, messages };
  const tools = [{ name: 'timetable', input_schema: port }];
  const toolUses = [
    ['timetable', { port: 'Malmö' }],
    ['now', {}],
  ];
  return [
    {
      name: `messages at ${base}/`,
      run: async (settings) => textOf((await anthropic(settings).messages.create(body)).content),
      says: sunrise,
      record: messagesRecord,
    },
    {
      name: `messages at ${base}/, streamed`,
      run: (settings) => anthropic(settings).messages.stream(body).finalText(),
      says: sunrise,
      record: messagesRecord,
    },
    {
      name: `messages at ${base}/ with tools`,
      run: async (settings) => usesOf((await anthropic(settings).messages.create({ ...body, tools })).content),
      says: toolUses,
      record: { provider: 'ANTHROPIC', completion_tokens: 88 },
    },
    {
      name: `messages at ${base}/ with tools, streamed`,
      run: async (settings) =>
        usesOf(
          (
            await anthropic(settings)
              .messages.stream({ ...body, tools })
              .finalMessage()
          ).content,
        ),
      says: toolUses,
      record: { provider: 'ANTHROPIC', completion_tokens: 88 },
    },
  ];
}

const gemini = ({ apiKey, headers }: Settings): GoogleGenAI =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: service.gateway, headers } });
const geminiBody = { model: 'gemini-2.5-flash', contents: prompt };
const geminiTools = [{ functionDeclarations: [{ name: 'timetable', parametersJsonSchema: port }] }];

async function geminiChunks(settings: Settings, config: object): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await gemini(settings).models.generateContentStream({ ...geminiBody, config })) chunks.push(chunk);
  return chunks;
}

const geminiUses: readonly Use[] = [
  {
    name: 'generateContent',
    run: async (settings) => (await gemini(settings).models.generateContent(geminiBody)).text,
    says: sunrise,
    record: geminiRecord,
  },
  {
    name: 'generateContent, streamed',
    run: async (settings) => (await geminiChunks(settings, {})).map(({ text }) => text ?? '').join(''),
    says: sunrise,
    record: geminiRecord,
  },
  {
    name: 'generateContent with tools',
    run: async (settings) =>
      (await gemini(settings).models.generateContent({ ...geminiBody, config: { tools: geminiTools } })).functionCalls?.map(
        ({ name }) => name,
      ),
    says: ['timetable', 'now'],
    record: { provider: 'GOOGLE', completion_tokens: 41 },
  },
  {
    name: 'generateContent with tools, streamed',
    run: async (settings) =>
      (await geminiChunks(settings, { tools: geminiTools })).flatMap(({ functionCalls }) => functionCalls?.map(({ name }) => name) ?? []),
    says: ['timetable', 'now'],
    record: { provider: 'GOOGLE', completion_tokens: 41 },
  },
];

const compatible = ({ apiKey, headers }: Settings) =>
  createOpenAICompatible({ name: 'gatelog', baseURL: `${service.gateway}/v1`, apiKey, headers, includeUsage: true })('gpt-4o');
const timetable = tool({ inputSchema: jsonSchema<{ port: string }>(port), execute: ({ port: name }) => `no ferries from ${name}` });

const aiUses: readonly Use[] = [
  {
    name: 'generateText',
    run: async (settings) => (await generateText({ model: compatible(settings), prompt, maxRetries: 0 })).text,
    says: harbour,
    record: chatRecord,
  },
  {
    name: 'streamText',
    run: async (settings) => streamText({ model: compatible(settings), prompt, maxRetries: 0 }).text,
    says: harbour,
    record: chatRecord,
  },
  {
    name: 'generateText with tools',
    run: async (settings) => {
      const { toolCalls } = await generateText({ model: compatible(settings), prompt, tools: { timetable }, maxRetries: 0 });
      return toolCalls[0]?.input;
    },
    says: { port: 'Malmö' },
    record: chatToolsRecord,
  },
];

const timetable5 = ai5.tool({
  inputSchema: ai5.jsonSchema<{ port: string }>(port),
  execute: ({ port: name }) => `no ferries from ${name}`,
});
const helicone = ({ apiKey, headers }: Settings) =>
  createHelicone({ baseURL: service.gateway, apiKey, headers })('gpt-4o/openai', {
    extraBody: { helicone: { properties: { room: 'quay' } } },
  });

const heliconeUses: readonly Use[] = [
  {
    name: 'generateText',
    run: async (settings) => (await ai5.generateText({ model: helicone(settings), prompt, maxRetries: 0 })).text,
    says: harbour,
    record: { ...chatRecord, properties: expect.objectContaining({ room: 'quay' }) as RequestItem['properties'] },
  },
  {
    name: 'streamText',
    run: async (settings) => ai5.streamText({ model: helicone(settings), prompt, maxRetries: 0 }).text,
    says: harbour,
    record: chatRecord,
  },
  {
    name: 'generateText with tools',
    run: async (settings) => {
      const { toolCalls } = await ai5.generateText({ model: helicone(settings), prompt, tools: { timetable: timetable5 }, maxRetries: 0 });
      return toolCalls[0]?.input;
    },
    says: { port: 'Malmö' },
    record: chatToolsRecord,
  },
];

const clients: readonly (readonly [name: string, uses: readonly Use[]])[] = [
  ['openai', openAiUses],
  ['@anthropic-ai/sdk at the gateway`s address', anthropicUses('')],
  ['@anthropic-ai/sdk below /anthropic', anthropicUses('/anthropic')],
  ['@google/genai', geminiUses],
  ['ai with @ai-sdk/openai-compatible', aiUses],
  ['ai 5 with @helicone/ai-sdk-provider', heliconeUses],
];

describe.each(clients)('%s', (_client, uses) => {
  it('shows the gateway`s sentence where its key is not accepted', async () => {
    await expect(uses[0]?.run({ apiKey: 'sk-svc-us-unknownunknownunknown', headers: {} })).rejects.toThrow(/not known|unknown|revoked/);
  });

  describe.each(ways)('with %s', (_way, { apiKey, headers }, providerKey) => {
    it.each(uses)('$name', async ({ run, says, record }) => {
      provider.calls.length = 0;
      const id = randomUUID();
      const tags = {
        'Svc-Request-Id': id,
        'Svc-Properties': JSON.stringify({ Environment: 'production' }),
        'Svc-User-Id': 'user-42',
        'Svc-Session-Id': 'checkout-7',
      };
      expect(await run({ apiKey, headers: { ...headers, ...tags } })).toEqual(says);
      const item = await api.stored(id);
      expect(item).toMatchObject({
        response_status: 200,
        request_user_id: 'user-42',
        session_id: 'checkout-7',
        properties: { Environment: 'production' },
        usage_estimated: false,
        ...record,
      });
      expect(provider.calls).toHaveLength(1);
      const sent = JSON.stringify(provider.calls[0]?.headers);
      expect(sent).toContain(providerKey);
      expect(sent).not.toMatch(/svc-|helicone-|sk-svc/i);
    });
  });
});
