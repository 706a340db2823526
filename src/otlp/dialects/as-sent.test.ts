import { describe, expect, it } from 'vitest';
import { callOf } from '../testing/spans.ts';

/** Spans as packages sent them, where a dialect's documents do not say all. */
describe('an OpenInference span of Anthropic', () => {
  it('has its instructions, which lie among the parameters, as a message', () => {
    const { request, requestBody } = callOf({
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.system': 'anthropic',
        'llm.model_name': 'claude-sonnet-4-5',
        'llm.invocation_parameters': '{"max_tokens":1024,"system":[{"type":"text","text":"Be short."}]}',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'Hello',
      },
    });
    expect(request?.promptText).toBe('Be short.\nHello');
    expect(requestBody).not.toHaveProperty('system');
  });
});

it("Anthropic's own client tells how long cache writes are kept", () => {
  const { call, response } = callOf({
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.usage.input_tokens': 3289,
      'gen_ai.usage.cache_write.input_tokens': 1200,
      'gen_ai.usage.cache_read.input_tokens': 2048,
      'anthropic.usage.cache_creation.ephemeral_5m_input_tokens': 200,
      'anthropic.usage.cache_creation.ephemeral_1h_input_tokens': 1000,
      'anthropic.message.stop_reason': 'end_turn',
      'gen_ai.usage.output_tokens': 23,
    },
  });
  expect([call.path, call.tags.properties]).toEqual(['/v1/messages', []]);
  expect(response).toMatchObject({
    finishReason: 'end_turn',
    usage: { promptTokens: 3289, promptCacheReadTokens: 2048, promptCacheWriteTokens: 1200 },
  });
});

it("a call as Helicone's asynchronous logger 3.1.2 told of it", () => {
  const { call, request, response } = callOf({
    name: 'openai.chat',
    attributes: {
      'gen_ai.system': 'OpenAI',
      'llm.request.type': 'chat',
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.0.content': 'Be short.',
      'gen_ai.prompt.1.role': 'user',
      'gen_ai.prompt.1.content': 'Why is the sky blue?',
      'gen_ai.response.model': 'gpt-4o-2024-08-06',
      'llm.usage.total_tokens': 1847,
      'gen_ai.usage.completion_tokens': 17,
      'gen_ai.usage.prompt_tokens': 1830,
      'gen_ai.completion.0.finish_reason': 'stop',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'The harbour opens at six.',
    },
  });
  expect(call).toMatchObject({ provider: 'openai', model: 'gpt-4o-mini', response: { status: 200 } });
  expect([request?.promptText, response?.completionText]).toEqual(['Be short.\nWhy is the sky blue?', 'The harbour opens at six.']);
  expect(response).toMatchObject({ finishReason: 'stop', usage: { promptTokens: 1830, completionTokens: 17 } });
});
