import { describe, expect, it } from 'vitest';
import { callOf, received, spanIdOf, traceId } from '../testing/spans.ts';

const said = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.response.model': 'gpt-4o-2024-08-06',
  'gen_ai.response.id': 'chatcmpl-1',
  'gen_ai.response.finish_reasons': ['stop'],
  'gen_ai.usage.input_tokens': 52,
  'gen_ai.usage.output_tokens': 47,
  'gen_ai.usage.cache_read.input_tokens': 20,
};

const input = [
  { role: 'system', parts: [{ type: 'text', content: 'You are a helpful bot' }] },
  { role: 'user', parts: [{ type: 'text', content: 'Tell me a joke' }] },
];
const output = [{ role: 'assistant', parts: [{ type: 'text', content: 'Why did it?' }], finish_reason: 'stop' }];

describe.each<[string, Readonly<Record<string, unknown>>]>([
  ['as structures', { 'gen_ai.input.messages': input, 'gen_ai.output.messages': output }],
  ['as JSON in texts', { 'gen_ai.input.messages': JSON.stringify(input), 'gen_ai.output.messages': JSON.stringify(output) }],
  [
    'with instructions apart',
    {
      'gen_ai.system_instructions': [{ type: 'text', content: 'You are a helpful bot' }],
      'gen_ai.input.messages': input.slice(1),
      'gen_ai.output.messages': output,
    },
  ],
])('messages %s', (_name, messages) => {
  it('become a chat of OpenAI with its usage', () => {
    const { call, request, response, requestBody } = callOf({ attributes: { ...said, 'gen_ai.provider.name': 'openai', ...messages } });
    expect(call).toMatchObject({
      provider: 'openai',
      path: '/v1/chat/completions',
      model: 'gpt-4o',
      elapsedMs: 1000,
      response: { status: 200 },
    });
    expect(request).toMatchObject({ model: 'gpt-4o', lastUserText: 'Tell me a joke', promptText: 'You are a helpful bot\nTell me a joke' });
    expect(requestBody['messages']).toEqual([
      { role: 'system', content: 'You are a helpful bot' },
      { role: 'user', content: 'Tell me a joke' },
    ]);
    expect(response).toMatchObject({
      responseId: 'chatcmpl-1',
      model: 'gpt-4o-2024-08-06',
      completionText: 'Why did it?',
      finishReason: 'stop',
      usage: { promptTokens: 52, completionTokens: 47, promptCacheReadTokens: 20 },
    });
  });
});

it('instructions that are the first message too are there once', () => {
  const attributes = { ...said, 'gen_ai.system_instructions': 'You are a helpful bot', 'gen_ai.input.messages': input };
  expect(callOf({ attributes }).request?.promptText).toBe('You are a helpful bot\nTell me a joke');
});

it('messages in the event that holds them in place of the span', () => {
  const attributes = { 'gen_ai.input.messages': input, 'gen_ai.output.messages': output, 'gen_ai.system_instructions': 'Be short' };
  const { request, response } = callOf({ attributes: said, events: [{ name: 'gen_ai.client.inference.operation.details', attributes }] });
  expect(request?.promptText).toBe('Be short\nYou are a helpful bot\nTell me a joke');
  expect(response?.completionText).toBe('Why did it?');
});

it.each<[string, Readonly<Record<string, unknown>>]>([
  ['1.28 to 1.36, in attributes', { content: 'Tell me a joke' }],
  ['of Azure, as JSON in one', { 'gen_ai.event.content': '{"role":"user","content":"Tell me a joke"}' }],
])('an event for each message: %s', (_name, attributes) => {
  const events = [
    { name: 'gen_ai.system.message', attributes: { content: 'Be short', 'gen_ai.system': 'openai' } },
    { name: 'gen_ai.user.message', attributes },
    {
      name: 'gen_ai.assistant.message',
      attributes: { tool_calls: '[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]' },
    },
    { name: 'gen_ai.tool.message', attributes: { id: 'c1', content: '57' } },
    { name: 'gen_ai.choice', attributes: { index: 0, finish_reason: 'stop', message: '{"role":"assistant","content":"It is 57."}' } },
  ];
  const { requestBody, request, response } = callOf({
    attributes: { 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-4o' },
    events,
  });
  expect(requestBody['messages']).toEqual([
    { role: 'system', content: 'Be short' },
    { role: 'user', content: 'Tell me a joke' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: '57' },
  ]);
  expect([request?.lastUserText, response?.completionText, response?.finishReason]).toEqual(['Tell me a joke', 'It is 57.', 'stop']);
});

it('one event for the prompt and one for the completion, before 1.28', () => {
  const events = [
    { name: 'gen_ai.content.prompt', attributes: { 'gen_ai.prompt': '[{"role":"user","content":"Hello"}]' } },
    { name: 'gen_ai.content.completion', attributes: { 'gen_ai.completion': '[{"role":"assistant","content":"Hi"}]' } },
  ];
  const { request, response } = callOf({ attributes: { 'gen_ai.system': 'openai', 'gen_ai.request.model': 'gpt-4o' }, events });
  expect([request?.lastUserText, response?.completionText]).toEqual(['Hello', 'Hi']);
});

describe('usage', () => {
  it.each<[string, Readonly<Record<string, number>>, unknown]>([
    [
      'cached tokens are inside the input',
      { input_tokens: 100, output_tokens: 5, 'cache_read.input_tokens': 60, 'cache_write.input_tokens': 30 },
      [100, 60, 30],
    ],
    [
      'cache_creation is the older name of cache_write',
      { input_tokens: 100, output_tokens: 5, 'cache_creation.input_tokens': 30 },
      [100, null, 30],
    ],
    [
      'and has others',
      { prompt_tokens: 100, completion_tokens: 5, cache_read_input_tokens: 7, cache_creation_input_tokens: 8 },
      [100, 7, 8],
    ],
    [
      'parts beyond the whole show that they were counted beside it',
      { input_tokens: 2, output_tokens: 5, 'cache_read.input_tokens': 90 },
      [92, 90, null],
    ],
  ])('%s', (_name, counts, expected) => {
    const named = Object.fromEntries(Object.entries(counts).map(([name, count]) => [`gen_ai.usage.${name}`, count]));
    const { response } = callOf({
      attributes: { 'gen_ai.provider.name': 'anthropic', 'gen_ai.request.model': 'claude-sonnet-4-5', ...named },
    });
    const usage = response?.usage;
    expect([usage?.promptTokens, usage?.promptCacheReadTokens, usage?.promptCacheWriteTokens]).toEqual(expected);
    expect(usage?.completionTokens).toBe(5);
  });

  it('of kinds is read', () => {
    const kinds = {
      'gen_ai.usage.reasoning.output_tokens': 40,
      'gen_ai.usage.audio.input_tokens': 3,
      'gen_ai.usage.image.input_tokens': 4,
    };
    const { response } = callOf({ attributes: { ...said, ...kinds } });
    expect(response?.usage).toMatchObject({ reasoningTokens: 40, promptAudioTokens: 3, promptImageTokens: 4 });
  });

  it('that was not told is left to be estimated', () => {
    const { responseBody } = callOf({ attributes: { 'gen_ai.request.model': 'gpt-4o' } });
    expect(responseBody).not.toHaveProperty('usage');
  });
});

it('parameters and tools are those of the request', () => {
  const tools = [
    { type: 'function', name: 'get_weather', description: 'Weather', parameters: { type: 'object', properties: {} } },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
  ];
  const attributes = {
    ...said,
    'gen_ai.tool.definitions': JSON.stringify(tools),
    'gen_ai.request.temperature': 0.5,
    'gen_ai.request.max_tokens': 200,
    'gen_ai.request.stop_sequences': ['END'],
    'gen_ai.request.stream': true,
    'gen_ai.response.time_to_first_chunk': 0.2504,
  };
  const { call, requestBody } = callOf({ attributes });
  expect(requestBody).toMatchObject({ temperature: 0.5, max_tokens: 200, stop: ['END'], stream: true });
  expect(requestBody['tools']).toEqual([
    { type: 'function', function: { name: 'get_weather', description: 'Weather', parameters: { type: 'object', properties: {} } } },
    tools[1],
  ]);
  expect(call.firstTokenMs).toBe(250);
});

it.each([
  ['counted from before the span began is at most its length', 1.02, 1000],
  ['in another unit is none', 250, undefined],
])('a time to the first part that is %s', (_what, seconds, firstTokenMs) => {
  const attributes = { ...said, 'gen_ai.response.time_to_first_chunk': seconds };
  expect(callOf({ attributes }).call.firstTokenMs).toBe(firstTokenMs);
});

it.each([
  ['openai', '', 'openai'],
  ['az.ai.openai', '', 'azure'],
  ['azure.ai.inference', '', 'azure'],
  ['aws.bedrock', '', 'bedrock'],
  ['gcp.gemini', '', 'gemini'],
  ['gcp.vertex_ai', '', 'vertex'],
  ['mistral_ai', '', 'mistral'],
  ['x_ai', '', 'xai'],
  ['Anthropic', '', 'anthropic'],
  ['openai', 'openrouter.ai', 'openrouter'],
  ['openai', 'shop.openai.azure.com', 'azure'],
  ['openai', 'localhost', 'openai'],
  ['ibm.watsonx.ai', '', 'custom'],
  ['', '', 'custom'],
  ['langchain', '', 'custom'],
])('provider %j at %j is %s', (name, address, provider) => {
  const attributes = {
    'gen_ai.request.model': 'm',
    'gen_ai.provider.name': name,
    ...(address === '' ? {} : { 'server.address': address }),
  };
  expect(callOf({ attributes }).call.provider).toBe(provider);
});

it.each([
  ['', 'gpt-4o', 'openai'],
  ['', 'o3', 'openai'],
  ['Langchain', 'claude-sonnet-4-5', 'anthropic'],
  ['', 'gemini-2.5-pro', 'gemini'],
  ['', 'mistral-large', 'mistral'],
  ['', 'llama-3-70b', 'custom'],
  ['ibm.watsonx.ai', 'gpt-oss-20b', 'custom'],
])('where provider %j names none, the maker of %s stands in: %s', (name, model, provider) => {
  const attributes = { 'gen_ai.request.model': model, ...(name === '' ? {} : { 'gen_ai.system': name }) };
  expect(callOf({ attributes }).call.provider).toBe(provider);
});

it('the called address is the one that the span tells', () => {
  const attributes = { ...said, 'server.address': 'api.openai.com', 'server.port': 443 };
  expect(callOf({ attributes }).call.targetUrl).toBe('https://api.openai.com/v1/chat/completions');
  expect(callOf({ attributes: { ...said, 'server.address': 'llm.local', 'server.port': 8080 } }).call.targetUrl).toBe(
    'https://llm.local:8080/v1/chat/completions',
  );
});

describe('an error', () => {
  it.each<[string, Readonly<Record<string, unknown>>, number]>([
    ['with the status of the response', { 'error.type': '429' }, 429],
    ['with the status in an attribute of HTTP', { 'error.type': 'RateLimitError', 'http.response.status_code': 429 }, 429],
    ['of any other type', { 'error.type': 'timeout' }, 500],
  ])('%s has status', (_name, attributes, status) => {
    const events = [{ name: 'exception', attributes: { 'exception.message': 'Rate limit reached', 'exception.type': 'RateLimitError' } }];
    const { call, responseBody } = callOf({ attributes: { 'gen_ai.request.model': 'gpt-4o', ...attributes }, events, status: { code: 2 } });
    expect(call.response.status).toBe(status);
    expect(responseBody).toEqual({ error: { message: 'Rate limit reached', type: attributes['error.type'] } });
  });
});

describe('operations', () => {
  it.each([
    ['embeddings', '/v1/embeddings'],
    ['text_completion', '/v1/completions'],
    ['generate_content', '/v1/chat/completions'],
    ['rerank', '/v1/rerank'],
    ['image_generation', '/v1/images/generations'],
    ['text_to_speech', '/v1/audio/speech'],
  ])('%s is a call of %s', (operation, path) => {
    expect(callOf({ attributes: { ...said, 'gen_ai.operation.name': operation } }).call.path).toBe(path);
  });

  it('embeddings count their input', () => {
    const attributes = {
      'gen_ai.operation.name': 'embeddings',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'text-embedding-3-small',
      'gen_ai.usage.input_tokens': 9,
    };
    const { response } = callOf({ attributes });
    expect(response?.usage).toMatchObject({ promptTokens: 9, completionTokens: null });
  });

  it('a tool is a request of its own, under the name that Helicone gives it', () => {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'get_weather',
      'gen_ai.tool.call.id': 'c1',
      'gen_ai.tool.call.arguments': { city: 'Paris' },
      'gen_ai.tool.call.result': { degrees: 57 },
    };
    const { call, requestBody, responseBody } = callOf({ attributes, kind: 1 });
    expect(call).toMatchObject({ provider: 'custom', model: 'tool:get_weather' });
    expect(requestBody).toEqual({ _type: 'tool', toolName: 'get_weather', input: { city: 'Paris' }, toolCallId: 'c1' });
    expect(responseBody).toEqual({ _type: 'tool', toolName: 'get_weather', output: { degrees: 57 } });
  });

  it('a search is one too', () => {
    const attributes = {
      'gen_ai.operation.name': 'retrieval',
      'gen_ai.retrieval.query.text': 'otel',
      'gen_ai.retrieval.documents': [{ id: 'doc-1', score: 0.91 }],
    };
    const { call, requestBody, responseBody } = callOf({ attributes });
    expect(call.model).toBe('vector_db');
    expect(requestBody).toEqual({ _type: 'vector_db', operation: 'search', text: 'otel' });
    expect(responseBody).toEqual({ _type: 'vector_db', results: [{ id: 'doc-1', score: 0.91 }] });
  });

  it.each(['invoke_agent', 'create_agent', 'invoke_workflow', 'plan', 'agent_step', 'fetch_response'])(
    '%s is a level, whatever it counts',
    (operation) => {
      expect(received([{ attributes: { ...said, 'gen_ai.operation.name': operation } }]).calls).toEqual([]);
    },
  );

  it('a span that tells of no model is none', () => {
    expect(received([{ name: 'GET /', attributes: { 'http.request.method': 'GET' } }])).toMatchObject({ calls: [], rejected: [] });
  });
});

it('session, user and properties are the span’s', () => {
  const { calls } = received(
    [
      {
        spanId: spanIdOf(5),
        attributes: {
          ...said,
          'gen_ai.conversation.id': 'conv_1',
          'enduser.id': 'ada',
          'app.tenant': 'north',
          'app.retries': 2,
          'http.request.method': 'POST',
          'my.api_key': 'secret',
          'ai.request.headers.authorization': 'Bearer secret',
        },
      },
    ],
    { resource: { 'service.name': 'shop', 'telemetry.sdk.name': 'opentelemetry' } },
  );
  expect(calls[0]?.tags).toMatchObject({
    sessionId: 'conv_1',
    userId: 'ada',
    jobId: traceId,
    nodeId: spanIdOf(5),
    properties: [
      { name: 'app.tenant', value: 'north' },
      { name: 'app.retries', value: '2' },
      { name: 'service.name', value: 'shop' },
    ],
  });
});
