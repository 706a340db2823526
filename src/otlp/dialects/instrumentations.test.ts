import { describe, expect, it } from 'vitest';
import { callOf, type ReadCall, readCall, received, spanIdOf, type WrittenSpan } from '../testing/spans.ts';

/** What the newest instrumentations of November 2026 write, each run against a provider, in texts of our own. */

const openInference = { 'openinference.span.kind': 'LLM', 'llm.model_name': 'gpt-5-mini', 'llm.provider': 'openai' };
const langfuse = {
  'langfuse.observation.type': 'generation',
  'langfuse.observation.model.name': 'gpt-5-mini',
  'langfuse.observation.input': '"Weather in Oslo?"',
};
const aiSdk = { 'ai.operationId': 'ai.generateText.doGenerate', 'ai.model.id': 'gpt-5-mini', 'ai.model.provider': 'openai.responses' };

describe('a tool without an attribute for its name has that of its span', () => {
  it.each<[string, WrittenSpan]>([
    ['get_weather', { name: 'get_weather', attributes: { 'langfuse.observation.type': 'tool' } }],
    ['get_weather', { name: 'get_weather', attributes: { 'openinference.span.kind': 'TOOL', 'agent.name': 'planner' } }],
    ['get_weather', { name: 'execute_tool get_weather', attributes: { 'gen_ai.operation.name': 'execute_tool' } }],
    ['look', { name: 'get_weather', attributes: { 'langfuse.observation.type': 'tool', 'gen_ai.tool.name': 'look' } }],
  ])('%s', (name, span) => {
    const { call, requestBody, responseBody } = callOf(span);
    expect([call.model, requestBody['toolName'], responseBody['toolName']]).toEqual([`tool:${name}`, name, name]);
  });
});

describe('the service tier, which decides the price', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['metadata of the AI SDK', { ...aiSdk, 'ai.response.providerMetadata': '{"openai":{"serviceTier":"flex"}}' }, 'flex'],
    ['metadata of another provider', { ...aiSdk, 'ai.response.providerMetadata': '{"azure":{"serviceTier":"priority"}}' }, 'priority'],
    ['parameters of OpenInference', { ...openInference, 'llm.invocation_parameters': '{"service_tier":"flex"}' }, 'flex'],
    [
      'the response that OpenInference keeps, before what was asked for',
      {
        ...openInference,
        'llm.invocation_parameters': '{"service_tier":"auto"}',
        'output.value': '{"object":"response","service_tier":"priority","output":[]}',
      },
      'priority',
    ],
    ['parameters of Langfuse', { ...langfuse, 'langfuse.observation.model.parameters': '{"service_tier":"flex"}' }, 'flex'],
    ['the convention’s response', { ...aiSdk, 'openai.response.service_tier': 'flex' }, 'flex'],
    ['the convention’s request', { ...aiSdk, 'openai.request.service_tier': 'priority' }, 'priority'],
    ['a request for any', { ...aiSdk, 'openai.request.service_tier': 'auto' }, ''],
  ])('%s', (_where, attributes, tier) => {
    expect(callOf({ attributes }).response?.serviceTier).toBe(tier);
  });

  it('of Anthropic’s client stands in the usage', () => {
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.usage.input_tokens': 10,
      'anthropic.usage.cache_creation.ephemeral_5m_input_tokens': 0,
      'anthropic.response.service_tier': 'priority',
    };
    expect(callOf({ attributes }).response?.serviceTier).toBe('priority');
  });
});

describe('the identifier of the response, by which a call through the gateway is the span’s', () => {
  it.each<[string, string, string]>([
    ['a chat of OpenAI', '{"id":"chatcmpl-1","object":"chat.completion","choices":[]}', 'chatcmpl-1'],
    ['OpenAI’s Responses', '{"id":"resp_1","object":"response","output":[]}', 'resp_1'],
    ['a message of Anthropic', '{"id":"msg_1","type":"message","content":[]}', 'msg_1'],
    ['a reply of Gemini', '{"responseId":"r1","candidates":[]}', 'r1'],
    ['an item of a reply', '{"id":"fc_1","type":"function_call","arguments":"{}"}', ''],
  ])('of %s that OpenInference keeps', (_what, output, id) => {
    expect(callOf({ attributes: { ...openInference, 'output.value': output } }).call.span?.responseId).toBe(id);
  });
});

/** As LangChain writes a message: its class and its fields. */
const keeps = (kwargs: Readonly<Record<string, unknown>>): ReadCall => {
  const message = { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', 'AIMessageChunk'], kwargs };
  const output = { generations: [[{ text: '', message }]], llmOutput: {} };
  const told = { 'llm.output_messages.0.message.role': 'assistant', 'output.value': JSON.stringify(output) };
  return callOf({ attributes: { ...openInference, ...told } });
};

describe('a result of LangChain that OpenInference keeps', () => {
  const content = [{ type: 'text', text: 'It rains.', annotations: [] }];

  it('tells the identifier, the model and the text of Responses', () => {
    const metadata = { id: 'resp_1', model_name: 'gpt-5-mini-2025-08-07', object: 'response' };
    const { call, response } = keeps({ id: 'run-1', content, tool_calls: [], response_metadata: metadata });
    expect(call.span?.responseId).toBe('resp_1');
    expect(response).toMatchObject({ model: 'gpt-5-mini-2025-08-07', completionText: 'It rains.' });
  });

  it('tells the identifier of a chat, which is that of its message', () => {
    const metadata = { model_name: 'gpt-5-mini-2025-08-07', finish_reason: 'stop' };
    const { call, response } = keeps({ id: 'chatcmpl-1', content: 'It rains.', response_metadata: metadata });
    expect(call.span?.responseId).toBe('chatcmpl-1');
    expect(response).toMatchObject({ completionText: 'It rains.', finishReason: 'stop' });
  });

  it('takes an identifier that LangChain made for none of the provider’s', () => {
    expect(keeps({ id: 'run-0b2c', content: 'It rains.' }).call.span?.responseId).toBe('');
  });

  it('tells the calls of tools', () => {
    const { responseBody } = keeps({ content: '', tool_calls: [{ id: 'call_1', name: 'get_weather', args: { city: 'Oslo' } }] });
    const called = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } };
    expect(responseBody['choices']).toMatchObject([{ message: { content: null, tool_calls: [called] } }]);
  });
});

describe('a reply of OpenAI’s Responses is one message with its parts', () => {
  const message = {
    role: 'assistant',
    content: 'It rains.',
    reasoning_content: 'The user asks for weather.',
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
  };
  const items = [
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'The user asks for weather.' }] },
    { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'It rains.' }] },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Oslo"}' },
  ];
  const output = 'llm.output_messages';
  const parts = {
    [`${output}.0.message.role`]: 'assistant',
    [`${output}.0.message.contents.0.message_content.type`]: 'reasoning',
    [`${output}.0.message.contents.0.message_content.text`]: 'The user asks for weather.',
    [`${output}.1.message.role`]: 'assistant',
    [`${output}.1.message.contents.0.message_content.type`]: 'text',
    [`${output}.1.message.contents.0.message_content.text`]: 'It rains.',
    [`${output}.2.message.role`]: 'assistant',
    [`${output}.2.message.tool_calls.0.tool_call.id`]: 'call_1',
    [`${output}.2.message.tool_calls.0.tool_call.function.name`]: 'get_weather',
    [`${output}.2.message.tool_calls.0.tool_call.function.arguments`]: '{"city":"Oslo"}',
  };

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['OpenInference', { ...openInference, ...parts }],
    ['Langfuse, a list of items', { ...langfuse, 'langfuse.observation.output': JSON.stringify(items) }],
    ['the convention', { ...aiSdk, 'gen_ai.output.messages': JSON.stringify(items) }],
  ])('%s', (_name, attributes) => {
    expect(callOf({ attributes }).responseBody['choices']).toEqual([{ index: 0, message, finish_reason: null }]);
  });

  it('one call alone, as Langfuse has it', () => {
    const { responseBody } = callOf({ attributes: { ...langfuse, 'langfuse.observation.output': JSON.stringify(items[2]) } });
    expect(responseBody['choices']).toEqual([
      { index: 0, message: { role: 'assistant', content: null, tool_calls: message.tool_calls }, finish_reason: null },
    ]);
  });

  it('choices stay choices, whatever they consist of, where several were asked for', () => {
    const attributes = { ...openInference, ...parts, 'llm.invocation_parameters': '{"n":3}' };
    expect(callOf({ attributes }).responseBody['choices']).toHaveLength(3);
    const texts = [0, 1].map((index) => [`${output}.${index}.message.content`, 'Hi'] as const);
    expect(callOf({ attributes: { ...openInference, ...Object.fromEntries(texts) } }).responseBody['choices']).toHaveLength(2);
  });

  it('its instructions and tools are in the request, and no properties', () => {
    const { call, requestBody } = callOf({
      attributes: {
        ...langfuse,
        'langfuse.observation.metadata.instructions': 'Be short.',
        'langfuse.observation.metadata.tools': '[{"type":"function","name":"get_weather","parameters":{"type":"object"}}]',
        'langfuse.observation.metadata.reasoning': '{"effort":"low","summary":null}',
        'langfuse.observation.metadata.team': 'search',
      },
    });
    expect(requestBody).toMatchObject({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: '"Weather in Oslo?"' },
      ],
      tools: [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }],
      reasoning: { effort: 'low', summary: null },
    });
    expect(call.tags.properties).toEqual([{ name: 'team', value: 'search' }]);
  });
});

describe('tokens of a cache', () => {
  const convention = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-5-mini', 'gen_ai.provider.name': 'openai' };
  const kinds = ['cache_read', 'cache_write', 'cache_creation'].flatMap((kind) => [
    `gen_ai.usage.${kind}.input_tokens`,
    `gen_ai.usage.${kind}_input_tokens`,
    `gen_ai.usage.${kind}_tokens`,
    `gen_ai.usage.input_tokens.${kind}`,
    `gen_ai.usage.details.${kind}_tokens`,
    `gen_ai.usage.details.${kind}_input_tokens`,
  ]);

  it.each([...kinds, 'gen_ai.usage.cached_input_tokens', 'gen_ai.usage.cached_tokens'])('%s is inside the input', (name) => {
    const attributes = { ...convention, 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 200, [name]: 600 };
    const usage = callOf({ attributes }).response?.usage;
    const isRead = /read|cached/.test(name);
    expect([usage?.promptTokens, usage?.promptCacheReadTokens, usage?.promptCacheWriteTokens]).toEqual(
      isRead ? [1000, 600, null] : [1000, null, 600],
    );
  });

  it.each(kinds)('%s beyond the input is beside it', (name) => {
    const attributes = { ...convention, 'gen_ai.usage.input_tokens': 400, 'gen_ai.usage.output_tokens': 200, [name]: 600 };
    expect(callOf({ attributes }).response?.usage.promptTokens).toBe(1000);
  });

  it.each<[string, Readonly<Record<string, unknown>>, unknown]>([
    ['only written, Anthropic’s own', { input_tokens: 40, output_tokens: 7, cache_creation_input_tokens: 60 }, [100, 0, 60]],
    ['OpenAI’s own of Responses', { input_tokens: 100, output_tokens: 7, input_tokens_details: { cached_tokens: 60 } }, [100, 60, 0]],
    ['kinds', { input: 40, output: 7, cache_read_tokens: 60 }, [100, 60, 0]],
    ['kinds that were written', { input: 40, output: 7, cache_write_tokens: 60 }, [100, 0, 60]],
  ])('usage details of Langfuse: %s', (_name, details, expected) => {
    const usage = callOf({ attributes: { ...langfuse, 'langfuse.observation.usage_details': JSON.stringify(details) } }).response?.usage;
    expect([usage?.promptTokens, usage?.promptCacheReadTokens ?? 0, usage?.promptCacheWriteTokens ?? 0]).toEqual(expected);
  });
});

describe('Mastra', () => {
  const startMs = Date.UTC(2026, 10, 1);
  const chat: WrittenSpan = {
    name: 'chat gpt-5-mini',
    spanId: spanIdOf(2),
    parentSpanId: spanIdOf(1),
    startMs,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5-mini',
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 200,
      'gen_ai.conversation.id': 's1',
      'mastra.span.type': 'model_inference',
      'mastra.metadata.userId': 'ada',
      'mastra.metadata.Team': 'search',
      'mastra.tags': '["a","b"]',
      'mastra.completion_start_time': new Date(startMs + 400).toISOString(),
    },
  };
  const step: WrittenSpan = {
    name: 'step',
    spanId: spanIdOf(1),
    startMs,
    attributes: {
      'gen_ai.operation.name': 'agent_step',
      'mastra.span.type': 'model_step',
      'mastra.model_step.input': '{"messages":[{"role":"user","content":"Weather in Oslo?"}]}',
      'mastra.model_step.output':
        '{"text":"","toolCalls":[{"toolCallId":"c1","toolName":"get_weather","args":{"city":"Oslo","id":9007199254740993}}]}',
    },
  };

  it('tells user, tags, properties and the first part', () => {
    const { call } = callOf(chat);
    expect(call.firstTokenMs).toBe(400);
    expect(call.tags).toMatchObject({ userId: 'ada', sessionId: 's1' });
    expect(call.tags.properties).toEqual([
      { name: 'Team', value: 'search' },
      { name: 'tags', value: 'a,b' },
    ]);
  });

  it.each([
    ['told in whole milliseconds, may seem to come before the call', startMs + 1, 0],
    ['long before the call, is none', startMs + 2, undefined],
  ])('a first part, %s', (_what, began, firstTokenMs) => {
    const attributes = { ...chat.attributes, 'mastra.completion_start_time': new Date(startMs).toISOString() };
    expect(callOf({ ...chat, startMs: began, attributes }).call.firstTokenMs).toBe(firstTokenMs);
  });

  it('tells what was said on the step around the call', () => {
    const { calls } = received([chat, step]);
    const [{ request, responseBody }] = calls.map(readCall) as [ReturnType<typeof readCall>];
    expect([calls.length, request?.lastUserText]).toEqual([1, 'Weather in Oslo?']);
    expect(responseBody['choices']).toMatchObject([
      { message: { tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Oslo","id":9007199254740993}' } }] } },
    ]);
  });
});

describe('an embedding of which no count is told', () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    [
      'Langfuse calls it a generation',
      {
        'langfuse.observation.type': 'generation',
        'langfuse.observation.model.name': 'text-embedding-3-small',
        'langfuse.observation.input': 'hello',
        'langfuse.observation.output': '',
      },
    ],
    ['OpenInference', { 'openinference.span.kind': 'EMBEDDING', 'embedding.model_name': 'text-embedding-3-small', 'input.value': 'hello' }],
  ])('is an embedding: %s', (_name, attributes) => {
    const { call, requestBody, responseBody } = callOf({ attributes });
    expect([call.path, call.provider]).toEqual(['/v1/embeddings', 'openai']);
    expect([requestBody, responseBody]).toEqual([
      { model: 'text-embedding-3-small', input: 'hello' },
      { object: 'list', model: 'text-embedding-3-small', data: [] },
    ]);
  });
});

describe('numbers in texts keep the digits that they came with', () => {
  const big = '{"id":9007199254740993,"rate":1e400}';

  it('in the arguments and results of a tool', () => {
    const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.arguments': big, 'gen_ai.tool.call.result': big };
    const { call } = callOf({ name: 'execute_tool look', attributes });
    expect(Buffer.from(call.requestBody).toString()).toContain(`"input":${big}`);
    expect(Buffer.from(call.response.body).toString()).toContain(`"output":${big}`);
  });

  it('in messages, in the shape of OpenAI and of Anthropic', () => {
    const called = `[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"look","arguments":${big}}]}]`;
    const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm', 'gen_ai.output.messages': called };
    expect(Buffer.from(callOf({ attributes: chat }).call.response.body).toString()).toContain(JSON.stringify(big));
    const kept = { 'gen_ai.usage.input_tokens': 1, 'anthropic.usage.cache_creation.ephemeral_5m_input_tokens': 0 };
    expect(Buffer.from(callOf({ attributes: { ...chat, ...kept } }).call.response.body).toString()).toContain(`"input":${big}`);
  });

  it('in properties', () => {
    const attributes = { ...openInference, metadata: '{"customer":9007199254740993}' };
    expect(callOf({ attributes }).call.tags.properties).toEqual([{ name: 'customer', value: '9007199254740993' }]);
  });
});
