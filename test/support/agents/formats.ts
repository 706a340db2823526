import type { JsonObject } from '../../../src/model/text.ts';
import { listOf, objectOf, textOf } from '../../../src/providers/format/fields.ts';

/** What the provider says: a text, or the call of a tool. */
export type Reply = { readonly text: string } | { readonly tool: string; readonly input: JsonObject };

/** How a wire format of agents asks and answers. */
interface AgentFormat {
  /** A part of the path that is unique to it. */
  readonly within: string;
  readonly modelOf: (body: JsonObject, path: string) => string;
  readonly toolsOf: (body: JsonObject) => readonly string[];
  /** The results of tools so far, as JSON. */
  readonly resultsOf: (body: JsonObject) => readonly string[];
  /** The events of a streamed reply. */
  readonly events: (reply: Reply, model: string) => readonly string[];
  /** A reply that is no stream. */
  readonly whole: (model: string) => JsonObject;
}

const typed = (event: JsonObject): string => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`;
const untyped = (event: JsonObject): string => `data: ${JSON.stringify(event)}\n\n`;

const modelInBody = (body: JsonObject): string => textOf(body['model']);

/** 40 tokens in, 2,000 from the cache, 300 written to it for five minutes and 100 for an hour, 20 out. */
const messageUsage = {
  input_tokens: 40,
  cache_creation_input_tokens: 400,
  cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 100 },
  cache_read_input_tokens: 2000,
  output_tokens: 20,
};

const messages: AgentFormat = {
  within: '/v1/messages',
  modelOf: modelInBody,
  toolsOf: (body) => listOf(body['tools']).map((tool) => textOf(objectOf(tool)['name'])),
  resultsOf: (body) =>
    listOf(body['messages'])
      .flatMap((message) => listOf(objectOf(message)['content']))
      .filter((block) => objectOf(block)['type'] === 'tool_result')
      .map((block) => JSON.stringify(block)),
  events: (reply, model) => {
    const isText = 'text' in reply;
    const block = isText ? { type: 'text', text: '' } : { type: 'tool_use', id: 'toolu_1', name: reply.tool, input: {} };
    const delta = isText
      ? { type: 'text_delta', text: reply.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(reply.input) };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null };
    return [
      { type: 'message_start', message: { ...message, usage: { ...messageUsage, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'ping' },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: isText ? 'end_turn' : 'tool_use', stop_sequence: null }, usage: messageUsage },
      { type: 'message_stop' },
    ].map(typed);
  },
  whole: (model) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: messageUsage,
  }),
};

/** 1,000 tokens in, 400 of them from the cache, 20 out. */
const chatUsage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020, prompt_tokens_details: { cached_tokens: 400 } };

const chat: AgentFormat = {
  within: '/chat/completions',
  modelOf: modelInBody,
  toolsOf: (body) => listOf(body['tools']).map((tool) => textOf(objectOf(objectOf(tool)['function'])['name'])),
  resultsOf: (body) =>
    listOf(body['messages'])
      .filter((message) => objectOf(message)['role'] === 'tool')
      .map((message) => JSON.stringify(message)),
  events: (reply, model) => {
    const chunk = (rest: JsonObject): string =>
      untyped({ id: 'c1', object: 'chat.completion.chunk', created: 1_780_000_000, model, ...rest });
    const isText = 'text' in reply;
    const delta = isText
      ? { role: 'assistant', content: reply.text }
      : {
          role: 'assistant',
          content: null,
          tool_calls: [
            { index: 0, id: 'call_1', type: 'function', function: { name: reply.tool, arguments: JSON.stringify(reply.input) } },
          ],
        };
    return [
      chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: isText ? 'stop' : 'tool_calls' }] }),
      chunk({ choices: [], usage: chatUsage }),
      'data: [DONE]\n\n',
    ];
  },
  whole: (model) => ({
    id: 'c1',
    object: 'chat.completion',
    created: 1_780_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: chatUsage,
  }),
};

/** 1,000 tokens in, 400 of them from the cache, 20 out. */
const responseUsage = {
  input_tokens: 1000,
  input_tokens_details: { cached_tokens: 400 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1020,
};

function responseItem(reply: Reply): JsonObject {
  if ('text' in reply) {
    const content = [{ type: 'output_text', text: reply.text, annotations: [] }];
    return { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content };
  }
  const call = { id: 'fc_1', type: 'function_call', status: 'completed', name: reply.tool, arguments: JSON.stringify(reply.input) };
  return { ...call, namespace: 'multi_agent_v1', call_id: `call_${reply.tool}` };
}

const responses: AgentFormat = {
  within: '/responses',
  modelOf: modelInBody,
  toolsOf: (body) =>
    listOf(body['tools'])
      .map(objectOf)
      .flatMap((tool) => [textOf(tool['name']), ...listOf(tool['tools']).map((inner) => textOf(objectOf(inner)['name']))]),
  resultsOf: (body) =>
    listOf(body['input'])
      .filter((item) => objectOf(item)['type'] === 'function_call_output')
      .map((item) => JSON.stringify(item)),
  events: (reply, model) => {
    const begun = { id: 'resp_1', object: 'response', created_at: 1_780_000_000, status: 'in_progress', model, output: [], usage: null };
    const item = responseItem(reply);
    const at = { output_index: 0, item_id: item['id'], content_index: 0 };
    const spoken =
      'text' in reply
        ? [
            { type: 'response.content_part.added', ...at, part: { type: 'output_text', text: '', annotations: [] } },
            { type: 'response.output_text.delta', ...at, delta: reply.text },
            { type: 'response.output_text.done', ...at, text: reply.text },
            { type: 'response.content_part.done', ...at, part: { type: 'output_text', text: reply.text, annotations: [] } },
          ]
        : [];
    return [
      { type: 'response.created', response: begun },
      {
        type: 'response.output_item.added',
        output_index: 0,
        item: 'text' in reply ? { ...item, status: 'in_progress', content: [] } : item,
      },
      ...spoken,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...begun, status: 'completed', output: [item], usage: responseUsage } },
    ].map((event, number) => typed({ ...event, sequence_number: number }));
  },
  whole: (model) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model,
    output: [responseItem({ text: 'ok' })],
    usage: responseUsage,
  }),
};

const generate: AgentFormat = {
  within: 'enerateContent',
  modelOf: (_body, path) => /\/models\/([^:/?]+)/.exec(path)?.[1] ?? '',
  toolsOf: () => [],
  resultsOf: () => [],
  events: (reply, model) => [untyped(generated('text' in reply ? reply.text : '', model))],
  // The router of Gemini CLI asks for this JSON.
  whole: (model) => generated('{"complexity_reasoning": "A count.", "complexity_score": 10}', model),
};

/** 1,000 tokens in, 20 out. */
function generated(text: string, model: string): JsonObject {
  return {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 20, totalTokenCount: 1020 },
    modelVersion: model,
    responseId: 'r1',
  };
}

export const formats: readonly AgentFormat[] = [messages, chat, responses, generate];
