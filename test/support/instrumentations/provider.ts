import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../../src/model/text.ts';
import { collect } from '../byte-provider.ts';

/** A call of a model as the provider got it, and what it said. */
export interface AnsweredCall {
  readonly path: string;
  readonly request: string;
  readonly reply: string;
}

/** A provider on loopback with the APIs of OpenAI and Anthropic. Each reply has an identifier and a text of its own. */
export interface TruthfulProvider {
  /** `http://host:port`, without a path. */
  readonly origin: string;
  readonly calls: AnsweredCall[];
  readonly close: () => Promise<void>;
}

/** The usage and price of each of its replies; the counts include what a cache held. */
export interface Truth {
  readonly model: string;
  readonly promptTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number | null;
  readonly completionTokens: number;
  readonly reasoningTokens: number | null;
  /** US dollars by the public list price. */
  readonly cost: number;
}

export const openAiTruth: Truth = {
  model: 'gpt-5-mini-2025-08-07',
  promptTokens: 1000,
  cacheReadTokens: 600,
  cacheWriteTokens: null,
  completionTokens: 200,
  reasoningTokens: 128,
  // 400 × 0.25 $ + 600 × 0.025 $ + 200 × 2 $, for a million tokens each.
  cost: 0.000515,
};

export const anthropicTruth: Truth = {
  model: 'claude-sonnet-4-5-20250929',
  promptTokens: 1100,
  cacheReadTokens: 600,
  cacheWriteTokens: 100,
  completionTokens: 200,
  reasoningTokens: null,
  // 400 × 3 $ + 600 × 0.30 $ + 60 × 3.75 $ + 40 × 6 $ + 200 × 15 $.
  cost: 0.004845,
};

interface Api {
  readonly whole: (text: string, number: number) => JsonObject;
  readonly events: (text: string, number: number) => readonly string[];
}

const untyped = (event: JsonObject): string => `data: ${JSON.stringify(event)}\n\n`;
const typed = (event: JsonObject): string => `event: ${String(event['type'])}\n${untyped(event)}`;
/** In two parts, as a stream has several. */
const halves = (text: string): readonly string[] => [text.slice(0, 7), text.slice(7)];
const secondsNow = (): number => Math.floor(Date.now() / 1000);

const chatUsage = {
  prompt_tokens: 1000,
  completion_tokens: 200,
  total_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 600, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 128, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
};

const chat: Api = {
  whole: (text, number) => ({
    id: `chatcmpl-call${number}`,
    object: 'chat.completion',
    created: secondsNow(),
    model: openAiTruth.model,
    choices: [{ index: 0, message: { role: 'assistant', content: text, refusal: null }, logprobs: null, finish_reason: 'stop' }],
    usage: chatUsage,
    service_tier: 'default',
  }),
  events: (text, number) => {
    const chunk = (choices: readonly JsonObject[], usage: JsonObject | null = null): string =>
      untyped({
        id: `chatcmpl-call${number}`,
        object: 'chat.completion.chunk',
        created: secondsNow(),
        model: openAiTruth.model,
        service_tier: 'default',
        choices,
        usage,
      });
    return [
      chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
      ...halves(text).map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([], chatUsage),
      'data: [DONE]\n\n',
    ];
  },
};

const responseUsage = {
  input_tokens: 1000,
  input_tokens_details: { cached_tokens: 600 },
  output_tokens: 200,
  output_tokens_details: { reasoning_tokens: 128 },
  total_tokens: 1200,
};

function response(number: number): JsonObject {
  return {
    id: `resp_call${number}`,
    object: 'response',
    created_at: secondsNow(),
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: openAiTruth.model,
    output: [],
    parallel_tool_calls: true,
    service_tier: 'default',
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: null,
  };
}

function messageItem(text: string, number: number): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { id: `msg_item${number}`, type: 'message', status: 'completed', role: 'assistant', content };
}

const responses: Api = {
  whole: (text, number) => ({ ...response(number), status: 'completed', output: [messageItem(text, number)], usage: responseUsage }),
  events: (text, number) => {
    const begun = response(number);
    const item = messageItem(text, number);
    const at = { output_index: 0, item_id: item['id'], content_index: 0 };
    return [
      { type: 'response.created', response: begun },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '', annotations: [] } },
      ...halves(text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part: { type: 'output_text', text, annotations: [] } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...begun, status: 'completed', output: [item], usage: responseUsage } },
    ].map((event, sequence_number) => typed({ ...event, sequence_number }));
  },
};

const messageUsage = {
  input_tokens: 400,
  cache_creation_input_tokens: 100,
  cache_read_input_tokens: 600,
  cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
  output_tokens: 200,
  service_tier: 'standard',
};

function message(number: number): JsonObject {
  return { id: `msg_call${number}`, type: 'message', role: 'assistant', model: anthropicTruth.model, stop_sequence: null };
}

const messages: Api = {
  whole: (text, number) => ({
    ...message(number),
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: messageUsage,
  }),
  events: (text, number) =>
    [
      {
        type: 'message_start',
        message: { ...message(number), content: [], stop_reason: null, usage: { ...messageUsage, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'ping' },
      ...halves(text).map((part) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: part } })),
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 200 } },
      { type: 'message_stop' },
    ].map(typed),
};

const apis: readonly (readonly [within: string, api: Api])[] = [
  ['/chat/completions', chat],
  ['/responses', responses],
  ['/messages', messages],
];

export async function startTruthfulProvider(): Promise<TruthfulProvider> {
  const calls: AnsweredCall[] = [];
  const server = createServer((request, reply) => {
    void collect(request).then(async (bytes) => {
      const path = request.url ?? '';
      const api = apis.find(([within]) => path.includes(within))?.[1];
      if (api === undefined) {
        reply.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"not here"}}');
        return;
      }
      const text = `The harbour opens at seven, as answer ${calls.length + 1} says.`;
      calls.push({ path, request: bytes.toString('utf8'), reply: text });
      const isStream = /"stream":\s*true/.test(bytes.toString('utf8'));
      await (isStream ? stream(api.events(text, calls.length), reply) : whole(api.whole(text, calls.length), reply));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** After as long as a model takes at least. */
async function whole(body: JsonObject, reply: ServerResponse): Promise<void> {
  await wait(20);
  reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function stream(events: readonly string[], reply: ServerResponse): Promise<void> {
  reply.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    await wait(5);
    reply.write(event);
  }
  reply.end();
}
