import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../model/text.ts';
import { readCallSize } from './call-size.ts';
import { wireFormatFor } from './registry.ts';

const sizeOf = (body: JsonObject, outputLimits: readonly string[] = []) => readCallSize(body, JSON.stringify(body).length, outputLimits);
const messages = [{ role: 'user', content: 'Draw an image of a file' }];

describe('readCallSize', () => {
  const chat = '/v1/chat/completions';
  const gemini = '/v1beta/models/gemini-2.5-pro:generateContent';
  it.each([
    [{ max_tokens: 7 }, 'openai', chat, 7],
    [{ max_completion_tokens: 8 }, 'openai', chat, 8],
    [{ max_tokens: 7, max_completion_tokens: 8 }, 'openai', chat, 8],
    [{ max_tokens: 0 }, 'openai', chat, undefined],
    [{ max_tokens: 0, max_completion_tokens: 8 }, 'openai', chat, undefined],
    [{ options: { num_predict: 0 } }, 'ollama', '/api/chat', undefined],
    [{}, 'openai', chat, undefined],
    [{ max_tokens: null }, 'openai', chat, undefined],
    [{ max_tokens: -1 }, 'openai', chat, undefined],
    [{ max_tokens: '7' }, 'openai', chat, undefined],
    [{ max_output_tokens: 9 }, 'openai', '/v1/responses', 9],
    [{ max_tokens: 10 }, 'anthropic', '/v1/messages', 10],
    [{ generationConfig: { maxOutputTokens: 11 } }, 'gemini', gemini, 11],
    [{ inferenceConfig: { maxTokens: 12 } }, 'bedrock', '/model/amazon.nova-pro-v1:0/converse', 12],
    [{ options: { num_predict: 13 } }, 'ollama', '/api/chat', 13],
  ])('of %j to %s at %s answers have at most %s tokens', (body, provider, path, tokens) => {
    expect(sizeOf({ messages, ...body }, wireFormatFor(provider, path)?.outputLimits).outputTokens).toBe(tokens);
  });

  it.each([
    [{ max_output_tokens: 1 }, 'openai', chat],
    [{ max_tokens: 1 }, 'openai', '/v1/responses'],
    [{ max_completion_tokens: 1 }, 'anthropic', '/v1/messages'],
    [{ max_tokens: 1 }, 'gemini', gemini],
    [{ max_tokens: 1 }, 'openai', '/v1/images/generations'],
  ])('%j is no limit to %s at %s, which does not read it', (body, provider, path) => {
    expect(sizeOf({ messages, ...body }, wireFormatFor(provider, path)?.outputLimits).outputTokens).toBeUndefined();
  });

  it.each([
    [{ n: 3 }, 3],
    [{ n: 0 }, 1],
    [{ best_of: 4, n: 2 }, 4],
    [{ generationConfig: { candidateCount: 2 } }, 2],
    [{ prompt: ['a', 'b'], n: 2 }, 4],
    [{ prompt: [[1, 2], [3]] }, 2],
    [{ prompt: [1, 2, 3] }, 1],
  ])('of %j there are %i answers', (body, answers) => {
    expect(sizeOf(body).choices).toBe(answers);
  });

  it('input of text has a token a byte at most, and what is put around tools', () => {
    const body = { messages };
    expect(sizeOf(body)).toMatchObject({ isText: true, inputTokens: JSON.stringify(body).length });
    const withTools = { messages, tools: [{ type: 'function' }] };
    expect(sizeOf(withTools).inputTokens).toBe(JSON.stringify(withTools).length + 1000);
  });

  it.each([
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] }] },
    { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', data: 'AA==' } }] }] },
    { contents: [{ parts: [{ inlineData: { data: 'AA==' } }] }] },
    { messages: [{ role: 'user', content: [{ image: { format: 'png', source: { bytes: 'AA==' } } }] }] },
    { contents: [], cachedContent: 'caches/1' },
    { input: 'and then?', previous_response_id: 'resp_1' },
    { prompt: { id: 'pmpt_1' } },
    { messages, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    { contents: [], tools: [{ googleSearch: {} }] },
    { input: 'Draw.', tools: [{ type: 'image_generation', model: 'gpt-image-1' }] },
  ])('input whose size the body does not tell is not bounded by it: %j', (body) => {
    expect(sizeOf(body)).toMatchObject({ isText: false, inputTokens: undefined });
  });

  it('the schema of a tool or of an answer may name anything', () => {
    const schema = { type: 'object', properties: { url: { type: 'string' }, image: { type: 'string' } } };
    const tools = [{ type: 'function', function: { name: 'fetch', parameters: schema } }];
    expect(sizeOf({ messages, tools, response_format: { type: 'json_schema', json_schema: { name: 'page', schema } } }).isText).toBe(true);
    expect(sizeOf({ messages, tools: [{ name: 'fetch', input_schema: schema }] }).isText).toBe(true);
    const toolConfig = { tools: [{ toolSpec: { name: 'fetch', inputSchema: { json: schema } } }] };
    expect(sizeOf({ messages, toolConfig })).toMatchObject({
      isText: true,
      inputTokens: JSON.stringify({ messages, toolConfig }).length + 1000,
    });
  });

  it.each([
    [{ service_tier: 'flex' }, 'flex'],
    [{ serviceTier: { type: 'priority' } }, 'priority'],
    [{ performanceConfig: { latency: 'optimized' } }, 'optimized'],
    [{ performanceConfig: { latency: 'standard' }, serviceTier: { type: 'flex' } }, 'flex'],
    [{ speed: 'fast' }, 'fast'],
    [{ speed: 'standard', service_tier: 'standard_only' }, 'standard_only'],
    [{ speed: 1.5 }, ''],
    [{ service_tier: 'standard' }, ''],
    [{}, ''],
  ])('%j asks for the tier %j', (body, tier) => {
    expect(sizeOf(body).serviceTier).toBe(tier);
  });

  it('names every model that may answer, and whether a cache is written', () => {
    const cached = { messages: [{ content: [{ type: 'text', cache_control: { type: 'ephemeral' } }] }] };
    expect(sizeOf({ model: 'a', models: ['b', 'a', 1] }).models).toEqual(['a', 'b']);
    expect([sizeOf(cached).writesCache, sizeOf({ messages }).writesCache]).toEqual([true, false]);
    expect(sizeOf({ messages, system: [{ cachePoint: { type: 'default' } }] }).writesCache).toBe(true);
  });
});
