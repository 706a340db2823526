import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../model/text.ts';
import { readCallSize } from './call-size.ts';

const sizeOf = (body: JsonObject) => readCallSize(body, JSON.stringify(body).length);
const messages = [{ role: 'user', content: 'Draw an image of a file' }];

describe('readCallSize', () => {
  it.each([
    [{ max_tokens: 7 }, 7],
    [{ max_completion_tokens: 8 }, 8],
    [{ max_tokens: 7, max_completion_tokens: 8 }, 8],
    [{ max_output_tokens: 9 }, 9],
    [{ generationConfig: { maxOutputTokens: 10 } }, 10],
    [{ inferenceConfig: { maxTokens: 11 } }, 11],
    [{ max_tokens: 0 }, 0],
    [{}, undefined],
    [{ max_tokens: null }, undefined],
    [{ max_tokens: -1 }, undefined],
    [{ max_tokens: '7' }, undefined],
  ])('of %j answers have at most %s tokens', (body, tokens) => {
    expect(sizeOf({ messages, ...body }).outputTokens).toBe(tokens);
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
    expect(sizeOf(body).answers).toBe(answers);
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
