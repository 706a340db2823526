import { describe, expect, it } from 'vitest';
import { callOf, received, spanIdOf, type WrittenSpan } from '../testing/spans.ts';

describe('OpenInference', () => {
  const llm = {
    'openinference.span.kind': 'LLM',
    'llm.provider': 'anthropic',
    'llm.model_name': 'claude-sonnet-4-5',
    'llm.invocation_parameters': '{"model":"claude-sonnet-4-5","max_tokens":100,"temperature":0.2,"messages":[]}',
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.contents.0.message_content.type': 'text',
    'llm.input_messages.0.message.contents.0.message_content.text': 'What is this?',
    'llm.input_messages.0.message.contents.1.message_content.type': 'image',
    'llm.input_messages.0.message.contents.1.message_content.image.image.url': 'https://example.com/a.png',
    'llm.input_messages.1.message.role': 'assistant',
    'llm.input_messages.1.message.tool_calls.0.tool_call.id': 'call_1',
    'llm.input_messages.1.message.tool_calls.0.tool_call.function.name': 'look',
    'llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments': '{"at":"it"}',
    'llm.input_messages.2.message.role': 'tool',
    'llm.input_messages.2.message.tool_call_id': 'call_1',
    'llm.input_messages.2.message.content': 'a cat',
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.content': 'A cat.',
    'llm.tools.0.tool.json_schema': '{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}',
    'llm.token_count.prompt': 1000,
    'llm.token_count.completion': 7,
    'llm.token_count.prompt_details.cache_read': 600,
    'llm.token_count.prompt_details.cache_write': 300,
    'llm.finish_reason': 'end_turn',
    'session.id': 's1',
    'user.id': 'ada',
    metadata: '{"team":"search","depth":2}',
    'tag.tags': ['a', 'b'],
    'input.value': '{}',
    'input.mime_type': 'application/json',
  };

  it('a call of a model', () => {
    const { call, request, response, requestBody } = callOf({ attributes: llm });
    expect(call).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5' });
    expect(call.tags).toMatchObject({
      sessionId: 's1',
      userId: 'ada',
      properties: [
        { name: 'team', value: 'search' },
        { name: 'depth', value: '2' },
        { name: 'tags', value: 'a,b' },
      ],
    });
    expect(requestBody).toEqual({
      model: 'claude-sonnet-4-5',
      max_tokens: 100,
      temperature: 0.2,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'a cat' },
      ],
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
    });
    expect(request?.lastUserText).toBe('What is this?');
    expect(response).toMatchObject({
      completionText: 'A cat.',
      finishReason: 'stop',
      usage: { promptTokens: 1000, completionTokens: 7, promptCacheReadTokens: 600, promptCacheWriteTokens: 300 },
    });
  });

  it('input and output of a span without messages', () => {
    const { request, response } = callOf({
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.model_name': 'm',
        'llm.system': 'openai',
        'input.value': 'Hello',
        'output.value': 'Hi',
      },
    });
    expect([request?.lastUserText, response?.completionText]).toEqual(['Hello', 'Hi']);
  });

  it('the requested model is among the parameters, and the response is kept whole', () => {
    const usage = {
      input_tokens: 2,
      output_tokens: 3,
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 10 },
    };
    const { call, response } = callOf({
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.provider': 'anthropic',
        'llm.model_name': 'claude-sonnet-4-5-20250929',
        'llm.invocation_parameters': '{"model":"claude-sonnet-4-5"}',
        'llm.token_count.prompt': 12,
        'output.value': JSON.stringify({ id: 'msg_1', type: 'message', content: [{ type: 'text', text: 'Hi' }], usage }),
        'output.mime_type': 'application/json',
      },
    });
    expect(call).toMatchObject({ path: '/v1/messages', model: 'claude-sonnet-4-5' });
    expect(response).toMatchObject({ responseId: 'msg_1', model: 'claude-sonnet-4-5-20250929', completionText: 'Hi' });
    expect(response?.usage).toMatchObject({
      promptTokens: 12,
      completionTokens: 3,
      promptCacheWriteTokens: 10,
      promptCacheWriteHourTokens: 10,
    });
  });

  it('a completion of a text, an embedding, a tool, a search', () => {
    const completion = callOf({
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.model_name': 'gpt-3.5-turbo-instruct',
        'llm.provider': 'openai',
        'llm.prompts.0.prompt.text': 'def fib(n):',
        'llm.choices.0.completion.text': ' return 1',
      },
    });
    expect([completion.call.path, completion.request?.promptText, completion.response?.completionText]).toEqual([
      '/v1/completions',
      'def fib(n):',
      ' return 1',
    ]);
    const embedding = callOf({
      attributes: {
        'openinference.span.kind': 'EMBEDDING',
        'embedding.model_name': 'text-embedding-3-small',
        'embedding.embeddings.0.embedding.text': 'hello',
      },
    });
    expect(embedding.requestBody).toEqual({ model: 'text-embedding-3-small', input: 'hello' });
    const tool = callOf({
      attributes: { 'openinference.span.kind': 'TOOL', 'tool.name': 'look', 'input.value': '{"at":"it"}', 'output.value': 'a cat' },
    });
    expect([tool.call.model, tool.requestBody['input'], tool.responseBody['output']]).toEqual(['tool:look', { at: 'it' }, 'a cat']);
    const search = callOf({
      attributes: {
        'openinference.span.kind': 'RETRIEVER',
        'input.value': 'cats',
        'retrieval.documents.0.document.content': 'A cat',
        'retrieval.documents.0.document.score': 0.5,
      },
    });
    expect([search.requestBody['text'], search.responseBody['results']]).toEqual([
      'cats',
      [{ document: { content: 'A cat', score: 0.5 } }],
    ]);
  });

  it.each(['CHAIN', 'AGENT', 'GUARDRAIL', 'EVALUATOR', 'PROMPT'])('%s is a level', (kind) => {
    expect(received([{ attributes: { 'openinference.span.kind': kind, 'llm.model_name': 'm' } }]).calls).toEqual([]);
  });
});

describe('Traceloop', () => {
  it('prompts and completions by index, as OpenLLMetry wrote them', () => {
    const { call, requestBody, response } = callOf({
      name: 'openai.chat',
      attributes: {
        'gen_ai.system': 'OpenAI',
        'llm.request.type': 'chat',
        'gen_ai.request.model': 'gpt-4o-mini',
        'gen_ai.response.model': 'gpt-4o-mini-2024-07-18',
        'gen_ai.prompt.0.role': 'system',
        'gen_ai.prompt.0.content': 'Be short',
        'gen_ai.prompt.1.role': 'user',
        'gen_ai.prompt.1.content': '[{"type":"text","text":"Hello"}]',
        'gen_ai.prompt.10.role': 'user',
        'gen_ai.prompt.10.content': 'The last',
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.content': 'Hi',
        'gen_ai.completion.0.finish_reason': 'stop',
        'gen_ai.completion.0.tool_calls.0.id': 'c1',
        'gen_ai.completion.0.tool_calls.0.name': 'look',
        'gen_ai.completion.0.tool_calls.0.arguments': '{}',
        'llm.request.functions.0.name': 'look',
        'llm.request.functions.0.description': 'Looks',
        'llm.request.functions.0.parameters': '{"type":"object"}',
        'gen_ai.usage.prompt_tokens': 9,
        'gen_ai.usage.completion_tokens': 3,
        'llm.usage.total_tokens': 12,
        'llm.headers': '{"authorization":"Bearer secret"}',
        'traceloop.workflow.name': 'joke',
        'traceloop.association.properties.user_id': 'ada',
        'traceloop.association.properties.session_id': 's1',
        'traceloop.association.properties.plan': 'pro',
      },
    });
    expect(call).toMatchObject({ provider: 'openai', model: 'gpt-4o-mini' });
    expect(call.tags).toMatchObject({ userId: 'ada', sessionId: 's1', sessionName: 'joke', properties: [{ name: 'plan', value: 'pro' }] });
    expect(requestBody['messages']).toEqual([
      { role: 'system', content: 'Be short' },
      { role: 'user', content: 'Hello' },
      { role: 'user', content: 'The last' },
    ]);
    expect(requestBody['tools']).toEqual([
      { type: 'function', function: { name: 'look', description: 'Looks', parameters: { type: 'object' } } },
    ]);
    expect(response).toMatchObject({ completionText: 'Hi', finishReason: 'stop', usage: { promptTokens: 9, completionTokens: 3 } });
    expect(JSON.stringify(call.tags)).not.toContain('secret');
  });

  it.each([
    ['workflow', 0],
    ['task', 0],
    ['agent', 0],
    ['tool', 1],
  ])('a span of the kind %s becomes %i requests', (kind, count) => {
    expect(
      received([{ attributes: { 'traceloop.span.kind': kind, 'traceloop.entity.name': 'e', 'traceloop.entity.input': '{}' } }]).calls,
    ).toHaveLength(count);
  });

  it('names of Helicone’s headers as associations, as its asynchronous logger sends them', () => {
    const association = 'traceloop.association.properties.';
    const { call } = callOf({
      attributes: {
        'gen_ai.request.model': 'm',
        [`${association}Helicone-User-Id`]: 'ada',
        [`${association}Helicone-Session-Id`]: 's1',
        [`${association}Helicone-Session-Path`]: '/outline',
        [`${association}Helicone-Property-Team`]: 'search',
        'Svc-Property-Plan': 'pro',
      },
    });
    expect(call.tags).toMatchObject({ userId: 'ada', sessionId: 's1', sessionPath: '/outline' });
    expect(call.tags.properties).toEqual([
      { name: 'Plan', value: 'pro' },
      { name: 'Team', value: 'search' },
    ]);
  });
});

describe('AI SDK', () => {
  const inner = {
    'operation.name': 'ai.generateText.doGenerate assistant',
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.telemetry.functionId': 'assistant',
    'ai.telemetry.metadata.sessionId': 's1',
    'ai.telemetry.metadata.userId': 'ada',
    'ai.telemetry.metadata.tags': ['x', 'y'],
    'ai.telemetry.metadata.plan': 'pro',
    'ai.model.provider': 'anthropic.messages',
    'ai.model.id': 'claude-sonnet-4-5',
    'gen_ai.system': 'anthropic.messages',
    'gen_ai.request.model': 'claude-sonnet-4-5',
    'ai.prompt.messages': '[{"role":"system","content":"Be short"},{"role":"user","content":[{"type":"text","text":"Hello"}]}]',
    'ai.prompt.tools': ['{"type":"function","name":"look","inputSchema":{"type":"object"}}'],
    'ai.response.text': 'Hi',
    'ai.response.toolCalls': '[{"toolCallId":"c1","toolName":"look","input":"{}"}]',
    'ai.response.finishReason': 'tool-calls',
    'ai.usage.inputTokens': 10,
    'ai.usage.outputTokens': 4,
    'ai.request.headers.authorization': 'Bearer secret',
  };

  it('the inner span is the request', () => {
    const { call, requestBody, response } = callOf({ attributes: inner });
    expect(call).toMatchObject({ provider: 'anthropic', model: 'claude-sonnet-4-5' });
    expect(call.tags).toMatchObject({
      sessionId: 's1',
      userId: 'ada',
      properties: [
        { name: 'plan', value: 'pro' },
        { name: 'tags', value: 'x,y' },
      ],
    });
    expect(requestBody['messages']).toEqual([
      { role: 'system', content: 'Be short' },
      { role: 'user', content: 'Hello' },
    ]);
    expect(requestBody['tools']).toEqual([{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]);
    expect(response).toMatchObject({ completionText: 'Hi', finishReason: 'tool_calls', usage: { promptTokens: 10, completionTokens: 4 } });
  });

  it('the provider’s own usage tells what the cache held, and for how long', () => {
    const usage = {
      input_tokens: 2,
      cache_read_input_tokens: 47_105,
      cache_creation_input_tokens: 1076,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1076 },
      output_tokens: 714,
    };
    const { call, response, request } = callOf({
      attributes: { ...inner, 'ai.response.providerMetadata': JSON.stringify({ anthropic: { usage } }) },
    });
    expect([call.path, request?.promptText]).toEqual(['/v1/messages', 'Be short\nHello']);
    expect(response?.usage).toMatchObject({
      promptTokens: 48_183,
      completionTokens: 714,
      promptCacheReadTokens: 47_105,
      promptCacheWriteTokens: 1076,
      promptCacheWriteHourTokens: 1076,
    });
    expect(response?.completionText).toBe('Hi');
  });

  it('an outer span is a level of its inner one’s path, and not counted', () => {
    const outer: WrittenSpan = {
      name: 'ai.generateText',
      spanId: spanIdOf(1),
      attributes: { ...inner, 'ai.operationId': 'ai.generateText', 'operation.name': 'ai.generateText' },
    };
    const { calls } = received([
      { name: 'ai.generateText.doGenerate', spanId: spanIdOf(2), parentSpanId: spanIdOf(1), attributes: inner },
      outer,
    ]);
    expect(calls.map(({ tags }) => tags.sessionPath)).toEqual(['/ai.generateText/ai.generateText.doGenerate']);
  });

  it('embeddings and tools', () => {
    const embed = callOf({
      attributes: {
        'ai.operationId': 'ai.embedMany.doEmbed',
        'ai.model.id': 'text-embedding-3-small',
        'ai.model.provider': 'openai.embedding',
        'ai.values': ['"one"', '"two"'],
        'ai.usage.tokens': 5,
      },
    });
    expect(embed.requestBody).toEqual({ model: 'text-embedding-3-small', input: ['one', 'two'] });
    expect(embed.response?.usage.promptTokens).toBe(5);
    const tool = callOf({
      attributes: {
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.name': 'look',
        'ai.toolCall.id': 'c1',
        'ai.toolCall.args': '{"at":"it"}',
        'ai.toolCall.result': '"a cat"',
      },
    });
    expect([tool.call.model, tool.requestBody['input']]).toEqual(['tool:look', { at: 'it' }]);
  });

  it('the first part of a stream', () => {
    expect(callOf({ attributes: { ...inner, 'ai.response.msToFirstChunk': 321.5 } }).call.firstTokenMs).toBe(322);
  });
});
