import { describe, expect, test } from 'vitest';
import { ItemFault } from './fields.ts';
import { checkLine, readItem } from './read-item.ts';

const id = '0193b3a4-0000-7000-8000-000000000001';
const least = { request_id: id, request_created_at: '2026-01-31T12:00:00.000Z' };
const lineOf = (extra: object = {}): string => JSON.stringify({ ...least, ...extra });

function lineOfNumbers(count: number): string {
  return lineOf().replace('}', `,"request_body":[${'1.0,'.repeat(count - 1)}1.0]}`);
}

function bodyOf(body: unknown): unknown {
  return readItem(lineOf({ request_body: body })).requestBody;
}

function faultOf(line: string): Pick<ItemFault, 'field' | 'message'> | undefined {
  try {
    checkLine(line);
    return undefined;
  } catch (error) {
    if (!(error instanceof ItemFault)) throw error;
    return { field: error.field, message: error.message };
  }
}

describe('a line of an import', () => {
  test('keeps the digits of the numbers in its bodies', () => {
    const line = `{"request_id":"${id}","request_created_at":"2026-01-31T12:00:00.000Z","request_body":{"order":9007199254740993,"rate":1.0},"response_body":[-0,1e400]}`;
    const { requestBody, requestValue, responseBody } = readItem(line);
    expect(requestBody).toEqual({ kind: 'json', text: '{"order":9007199254740993,"rate":1.0}' });
    expect(requestValue).toEqual({ order: 2 ** 53, rate: 1 });
    expect(responseBody).toEqual({ kind: 'json', text: '[-0,1e400]' });
  });

  test('may have as many numbers with digits of their own as two recorded bodies', () => {
    expect(faultOf(lineOfNumbers(400_000))).toBeUndefined();
    expect(readItem(lineOfNumbers(400_000)).requestBody).toEqual({ kind: 'json', text: `[${'1.0,'.repeat(399_999)}1.0]` });
    expect(faultOf(lineOfNumbers(400_001))?.message).toContain('too many numbers');
    expect(() => readItem(lineOfNumbers(400_001))).toThrow(ItemFault);
  });

  test('needs an identifier and a time, and nothing else', () => {
    expect(readItem(lineOf())).toMatchObject({
      requestId: id,
      createdAt: Date.UTC(2026, 0, 31, 12),
      status: 0,
      provider: 'CUSTOM',
      cost: null,
      costSource: 'none',
      requestBody: { kind: 'absent' },
      feedback: null,
    });
  });

  test.each([
    ['is no JSON', '{"request_id":', '', 'The line is not JSON'],
    ['is no object', '[]', '', 'The line is not an object'],
    ['nests too deeply', lineOf({ request_body: JSON.parse('['.repeat(510) + ']'.repeat(510)) as unknown }), '', 'nests too deeply'],
    ['has no identifier', '{}', 'request_id', '`request_id` takes a UUID. The line has none.'],
    ['has another identifier', lineOf({ request_id: 'abc' }), 'request_id', '`request_id` takes a UUID. This is "abc".'],
    ['has no time', lineOf({ request_created_at: null }), 'request_created_at', '`request_created_at` is missing'],
    ['has a time that is none', lineOf({ request_created_at: 'soon' }), 'request_created_at', 'takes a time'],
    ['has a time of another century', lineOf({ response_created_at: '1812-01-01' }), 'response_created_at', 'takes a time'],
    ['has a status that is none', lineOf({ response_status: 1.5 }), 'response_status', 'takes an HTTP status'],
    ['has a negative count', lineOf({ prompt_tokens: -1 }), 'prompt_tokens', 'takes a number from 0'],
    ['has an amount that is none', lineOf({ cost: 'much' }), 'cost', 'takes an amount of US dollars'],
    ['has a flag that is none', lineOf({ cached: 'yes' }), 'cached', 'takes true or false'],
    ['has properties in a list', lineOf({ properties: [] }), 'properties', 'takes an object'],
    ['has a property that is no text', lineOf({ properties: { Team: {} } }), 'properties', 'takes a text for each property'],
    ['has a nameless property', lineOf({ properties: { '': 'x' } }), 'properties', 'has 1 to 128 characters; this one has 0'],
    ['has an overlong property', lineOf({ properties: { Team: 'x'.repeat(8193) } }), 'properties', '"Team" has more than 8192 bytes'],
    ['has an overlong user', lineOf({ request_user_id: 'ä'.repeat(4097) }), 'request_user_id', 'has more than 8192 bytes'],
    ['has a score that is no number', lineOf({ scores: { quality: {}, good: [] } }), 'scores', 'takes a number for each score'],
    ['has assets that are no texts', lineOf({ assets: [1] }), 'assets', 'takes a list of texts'],
    ['has attempts that are none', lineOf({ attempts: [{}] }), 'attempts', 'takes a list of objects'],
  ])('that %s is rejected with the field and a remedy', (_case, line, field, sentence) => {
    expect(faultOf(line)).toEqual({ field, message: expect.stringContaining(sentence) as string });
  });

  test('may have the body of the deepest JSON that is recorded', () => {
    const body = JSON.parse('['.repeat(500) + ']'.repeat(500)) as unknown;
    expect(readItem(lineOf({ request_body: body, response_body: body })).responseBody).toMatchObject({ kind: 'json' });
  });

  test('keeps a stated cost exactly, and as stated unless it says where it comes from', () => {
    expect(readItem(lineOf({ cost: '0.123456789012' }))).toMatchObject({ cost: 123_456_789_012n, costSource: 'header' });
    expect(readItem(lineOf({ cost: 1e-12, cost_source: 'price-book' }))).toMatchObject({ cost: 1n, costSource: 'price-book' });
    expect(readItem(lineOf({ costUSD: 0 }))).toMatchObject({ cost: 0n, costSource: 'header' });
  });

  test('has bodies as items show them', () => {
    expect(bodyOf({ a: [1, 'ä'] })).toEqual({ kind: 'json', text: '{"a":[1,"ä"]}' });
    expect(bodyOf('plain')).toEqual({ kind: 'text', text: 'plain' });
    expect(bodyOf({ base64: 'AAEC', content_type: 'audio/mpeg' })).toEqual({ kind: 'binary', base64: 'AAEC', contentType: 'audio/mpeg' });
    expect(bodyOf(null)).toEqual({ kind: 'absent' });
  });
});

describe('a line of another service', () => {
  test('names its session, its prompt and its feedback in its own way', () => {
    const properties = { 'Helicone-Session-Id': 's', 'Helicone-Session-Path': '/a', 'Helicone-Prompt-Id': 'p', env: 'prod' };
    expect(readItem(lineOf({ request_properties: properties, scores: { 'helicone-score-feedback': 1, quality: 80 } }))).toMatchObject({
      sessionId: 's',
      promptIdOfProperties: 'p',
      aliasedNames: true,
      properties: new Map([
        ['Svc-Session-Id', 's'],
        ['Svc-Session-Path', '/a'],
        ['Svc-Prompt-Id', 'p'],
        ['env', 'prod'],
      ]),
      scores: new Map([
        ['svc-score-feedback', 1],
        ['quality', 80],
      ]),
      feedback: { rating: true },
    });
  });

  test('may have numbers as text, times with a space, latencies with a fraction and codes below 0', () => {
    const other = { request_created_at: '2026-01-31 12:00:00.123', delay_ms: '812.6', prompt_tokens: '31', response_status: -3 };
    expect(readItem(lineOf(other))).toMatchObject({
      createdAt: Date.UTC(2026, 0, 31, 12, 0, 0, 123),
      latencyMs: 813,
      counts: { prompt_tokens: 31, completion_tokens: undefined },
      status: 499,
    });
    expect(readItem(lineOf({ response_status: -2 })).status).toBe(0);
  });

  test('has no body where a notice says that it lies elsewhere, and tells by its reference that it was cached', () => {
    const moved = { helicone_message: 'Request body is too large' };
    const zero = '00000000-0000-0000-0000-000000000000';
    expect(readItem(lineOf({ request_body: moved, cache_reference_id: zero, provider: 'openai' }))).toMatchObject({
      requestBody: { kind: 'absent' },
      cached: false,
      provider: 'OPENAI',
    });
    expect(readItem(lineOf({ cache_reference_id: id })).cached).toBe(true);
    const own = lineOf({ request_body: moved, storage_location: 'clickhouse' });
    expect(readItem(own).requestBody).toEqual({ kind: 'json', text: JSON.stringify(moved) });
  });

  test('keeps a property of an upstream name that is no session', () => {
    const properties = { 'Helicone-Session-Id': 'no session' };
    expect(readItem(lineOf({ properties, session_id: null }))).toMatchObject({
      sessionId: '',
      aliasedNames: false,
      properties: new Map(Object.entries(properties)),
    });
  });
});
