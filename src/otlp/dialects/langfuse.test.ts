import { describe, expect, it } from 'vitest';
import { callOf, received } from '../testing/spans.ts';

const generation = {
  'langfuse.observation.type': 'generation',
  'langfuse.observation.model.name': 'gpt-4o',
  'langfuse.observation.model.parameters': '{"temperature":0.3}',
  'langfuse.observation.input': '{"messages":[{"role":"user","content":"Hello"}],"tools":[{"type":"function","function":{"name":"look"}}]}',
  'langfuse.observation.output': '{"role":"assistant","content":"Hi"}',
  'langfuse.observation.prompt.name': 'greeting',
  'langfuse.observation.prompt.version': 3,
  'langfuse.observation.metadata.step': '2',
  'langfuse.trace.metadata.team': 'search',
  'langfuse.trace.name': 'chat-turn',
  'langfuse.trace.tags': ['a', 'b'],
  'session.id': 's1',
  'user.id': 'ada',
  'gen_ai.system': 'openai',
};

function costOf(details: unknown): string | undefined {
  return callOf({ attributes: { ...generation, 'langfuse.observation.cost_details': JSON.stringify(details) } }).call.tags.cost;
}

describe('Langfuse', () => {
  it('a generation', () => {
    const { call, requestBody, response } = callOf({ attributes: generation });
    expect(call).toMatchObject({ provider: 'openai', model: 'gpt-4o' });
    expect(call.tags).toMatchObject({
      sessionId: 's1',
      sessionName: 'chat-turn',
      userId: 'ada',
      promptId: 'greeting',
      promptVersion: '3',
      properties: [
        { name: 'team', value: 'search' },
        { name: 'step', value: '2' },
        { name: 'tags', value: 'a,b' },
      ],
    });
    expect(requestBody).toEqual({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Hello' }],
      tools: [{ type: 'function', function: { name: 'look' } }],
      temperature: 0.3,
    });
    expect(response?.completionText).toBe('Hi');
  });

  it.each<[string, unknown, unknown]>([
    ['kinds that add up', { input: 40, output: 7, total: 107, input_cached_tokens: 60 }, [100, 7, 60]],
    ['kinds inside their whole', { input: 100, output: 7, total: 107, input_cached_tokens: 60 }, [100, 7, 60]],
    ['reasoning beside the output', { input: 10, output: 7, output_reasoning_tokens: 30 }, [10, 37, null]],
    ['OpenAI’s own', { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } }, [100, 7, 60]],
    ['Anthropic’s own', { input_tokens: 40, output_tokens: 7, cache_read_input_tokens: 60, cache_creation_input_tokens: 0 }, [100, 7, 60]],
  ])('usage details: %s', (_name, details, expected) => {
    const { response } = callOf({ attributes: { ...generation, 'langfuse.observation.usage_details': JSON.stringify(details) } });
    const usage = response?.usage;
    expect([usage?.promptTokens, usage?.completionTokens, usage?.promptCacheReadTokens]).toEqual(expected);
  });

  it('a cost that the caller gave', () => {
    expect([costOf({ input: 0.001, output: 0.002, total: 0.003 }), costOf({ input: 0.001, output: 0.002 }), costOf({})]).toEqual([
      '0.003000000000',
      '0.003000000000',
      undefined,
    ]);
  });

  it('the first part and an error', () => {
    const startMs = Date.UTC(2026, 10, 1);
    const { call, responseBody } = callOf({
      startMs,
      attributes: {
        ...generation,
        'langfuse.observation.completion_start_time': `"${new Date(startMs + 400).toISOString()}"`,
        'langfuse.observation.status_message': 'Overloaded',
        'langfuse.observation.output': '',
      },
      status: { code: 2 },
    });
    expect([call.firstTokenMs, call.response.status, responseBody]).toEqual([400, 500, { error: { message: 'Overloaded', type: null } }]);
  });

  it('an error that its level alone tells, whose cost nobody stated', () => {
    const { call, responseBody } = callOf({
      attributes: {
        'langfuse.observation.type': 'generation',
        'langfuse.observation.model.name': 'gpt-4o',
        'langfuse.observation.level': 'ERROR',
        'langfuse.observation.status_message': 'Error: 404 The model does not exist',
        'langfuse.observation.cost_details': '{"input":0,"output":0,"total":0}',
      },
    });
    expect([call.response.status, call.tags.cost]).toEqual([404, undefined]);
    expect(responseBody).toEqual({ error: { message: 'Error: 404 The model does not exist', type: null } });
  });

  it.each(['DEFAULT', 'WARNING'])('no error, whatever its status message begins with, at the level %s', (level) => {
    const { call } = callOf({
      attributes: {
        ...generation,
        'langfuse.observation.level': level,
        'langfuse.observation.status_message': '404 documents searched',
      },
    });
    expect(call.response.status).toBe(200);
  });

  it('no error where an exception was handled', () => {
    const events = [{ name: 'exception', attributes: { 'exception.type': 'APIError', 'exception.message': '503 retried' } }];
    expect(callOf({ attributes: generation, events }).call.response.status).toBe(200);
    expect(callOf({ attributes: generation, events, status: { code: 2 } }).call.response.status).toBe(503);
  });

  it.each(['agent', 'chain', 'guardrail', 'evaluator'])('%s is a level', (type) => {
    expect(received([{ attributes: { 'langfuse.observation.type': type } }]).calls).toEqual([]);
  });
});
