import { describe, expect, it } from 'vitest';
import { requestItemSchema } from '../../contract/requests/item.ts';
import type { JsonObject } from '../../model/text.ts';
import { parseTime } from './files/cells.ts';
import { convertRecord, figuresOf } from './item.ts';

const required = { request_id: '6FE94360-147D-4EB9-AA94-9687A6B5328D', request_created_at: '2026-03-01T12:00:00.123Z' };

function itemOf(fields: JsonObject): JsonObject {
  const converted = convertRecord({ ...required, ...fields }, {});
  if ('problem' in converted) throw new Error(converted.problem);
  return converted.item;
}

describe("a record of upstream becomes an item of Gatelog's API", () => {
  it('with every field of an item, also when upstream gives two fields alone', () => {
    const { size_bytes: size, ...item } = itemOf({});
    expect(size).toBeNull();
    expect(requestItemSchema.parse({ ...item, size_bytes: 0, failure: null })).toMatchObject({
      request_id: '6fe94360-147d-4eb9-aa94-9687a6b5328d',
      request_created_at: '2026-03-01T12:00:00.123Z',
      model: 'unknown',
      cost: null,
      cost_source: 'none',
      prompt_tokens: null,
      request_body: null,
    });
  });

  it.each([
    [{}, 'The record has no request_id.'],
    [{ request_id: 'req_1' }, 'The request_id "req_1" is not a UUID.'],
    [{ request_id: required.request_id }, 'The record has no request_created_at that is a time.'],
    [{ ...required, request_created_at: 'yesterday' }, 'The record has no request_created_at that is a time.'],
  ])('unless it cannot be told which request of when it is: %j', (record, problem) => {
    expect(convertRecord(record, {})).toEqual({ problem });
  });

  const cases: [string, JsonObject, JsonObject][] = [
    ['numbers as texts', { prompt_tokens: '12', delay_ms: '1500' }, { prompt_tokens: 12, latency: 1500, delay_ms: 1500 }],
    [
      'a time of the response without T and offset',
      { response_created_at: '2026-03-01 12:00:02.5' },
      { response_created_at: '2026-03-01T12:00:02.500Z' },
    ],
    ['the cost under its other name', { costUSD: 0.25 }, { cost: 0.25, cost_source: 'header' }],
    ['a cost of nothing', { cost: 0 }, { cost: 0, cost_source: 'header' }],
    ['a provider by its registry name', { provider: 'google-ai-studio' }, { provider: 'GOOGLE' }],
    ['a provider that is not known here', { provider: 'Qstash' }, { provider: 'QSTASH' }],
    [
      'a whole address as the path',
      { request_path: 'https://api.openai.com/v1/chat/completions?a=1' },
      { request_path: '/v1/chat/completions' },
    ],
    ['no path but the address', { target_url: 'https://h/v1/messages' }, { request_path: '/v1/messages' }],
    ['a model that was overridden', { model_override: 'm2', request_model: 'm1' }, { model: 'm2', request_model: 'm1' }],
    ['the client left', { response_status: -3 }, { response_status: 499 }],
    ['blocked as a threat', { response_status: -4 }, { response_status: 0, threat: true }],
    ['no answer yet', { response_status: -2 }, { response_status: 0, threat: null }],
    [
      'no reference to a cached original',
      { cache_reference_id: '00000000-0000-0000-0000-000000000000' },
      { cached: false, cache_reference_id: null },
    ],
    ['an answer from the cache', { cache_reference_id: 'b2cc3883-f8e8-4a72-a13a-a012263c2c0c' }, { cached: true }],
    ['scores of the older query', { scores: { a: { value: 3, valueType: 'number' }, b: true } }, { scores: { a: 3, b: 1 } }],
    [
      'feedback among the scores',
      { scores: { 'helicone-score-feedback': 0 } },
      { feedback_rating: false, scores: { 'svc-score-feedback': 0 }, feedback_created_at: '2026-03-01T12:00:00.123Z' },
    ],
    [
      'feedback of its own',
      { feedback_rating: true, feedback_created_at: '2026-03-02T00:00:00Z' },
      { feedback_rating: true, scores: { 'svc-score-feedback': 1 } },
    ],
    [
      'the session among the properties',
      { request_properties: { 'Helicone-Session-Id': 's', 'Helicone-Session-Path': '/a' } },
      { session_id: 's', session_path: '/a', session_name: null },
    ],
    ['the prompt among the properties', { properties: { 'Helicone-Prompt-Id': 'p' } }, { prompt_id: 'p' }],
    ['properties that are no texts', { properties: { n: 1, f: true, none: null } }, { properties: { n: '1', f: 'true' } }],
    ['assets by their addresses', { asset_urls: { a: 'https://x' } }, { assets: ['a'], asset_ids: ['a'] }],
  ];
  it.each(cases)('%s', (_, record, expected) => {
    expect(itemOf(record)).toMatchObject(expected);
  });

  it('states no failure, which the service reads of its status and its body', () => {
    expect(itemOf({ response_status: 429 })).not.toHaveProperty('failure');
  });

  it('and is counted with prompt and completion tokens, and with its cost as it is written', () => {
    expect(figuresOf({ ...required, prompt_tokens: 3, completion_tokens: '4', total_tokens: 99, cost: '0.000000000001' })).toEqual({
      createdAt: Date.UTC(2026, 2, 1, 12, 0, 0, 123),
      tokens: 7,
      cost: 1n,
    });
  });
});

describe('times of upstream', () => {
  it.each([
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T10:20', '2026-03-01T10:20:00.000Z'],
    ['2026-03-01 10:20:30', '2026-03-01T10:20:30.000Z'],
    ['2026-03-01 10:20:30.123456', '2026-03-01T10:20:30.123Z'],
    ['2026-03-01T10:20:30.9+00:00', '2026-03-01T10:20:30.900Z'],
    ['2026-03-01T10:20:30-0530', '2026-03-01T15:50:30.000Z'],
    ['2026-03-01 10:20:30+02', '2026-03-01T08:20:30.000Z'],
    ['2026-03-01 10:20:30 UTC', '2026-03-01T10:20:30.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(new Date(parseTime(text) ?? 0).toISOString()).toBe(expected);
  });

  it.each(['', 'now', '2026-13-01', '01.03.2026', '2026-03-01T25:00:00Z'])('%j is none', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});
