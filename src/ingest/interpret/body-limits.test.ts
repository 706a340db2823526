import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { redactionTargets } from '../../model/redaction-rule.ts';
import { compileRules } from '../../redaction/redactor.ts';
import { redactedPlaceholder, redactTexts } from '../redaction/redact-texts.ts';
import { interpret, type InterpretSketch, json, stream } from '../testing/exchange-builder.ts';

const encoded = (times: number): Buffer => Array.from({ length: times }).reduce<Buffer>((bytes) => gzipSync(bytes), Buffer.from('{}'));
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const branches = (levels: number): string =>
  `${'{"left":{"request":{"status":{"equals":1}}},"operator":"and","right":'.repeat(levels)}"all"${'}'.repeat(levels)}`;
/** A stream of Anthropic's, whose arguments lie some levels deeper in the message. */
function deepArguments(levels: number): string {
  const blocks = [
    { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'c', content: [], usage: {} } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: nested(levels) } },
    { type: 'message_stop' },
  ];
  return blocks.map((block) => `event: ${block.type}\ndata: ${JSON.stringify(block)}\n\n`).join('');
}
const usage = '{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}';

/** A stream whose events have so many numbers in all. */
function chunksOf(count: number): string {
  const last = `data: {"object":"chat.completion.chunk","model":"echo-1","choices":[],"usage":${usage}}\n\n`;
  return chunkOf(1000).repeat(count / 1000) + (count % 1000 === 0 ? '' : chunkOf(count % 1000)) + last;
}

function chunkOf(numbers: number): string {
  return `data: {"object":"chat.completion.chunk","model":"echo-1","choices":[],"seen":[${'-0,'.repeat(numbers - 1)}-0]}\n\n`;
}

const redact: InterpretSketch['redact'] = (texts) =>
  redactTexts(texts, compileRules([{ kind: 'email', pattern: null, replacement: '[email]', appliesTo: redactionTargets }]));

describe('a body', () => {
  test('in more codings than clients of HTTP undo is kept as bytes', () => {
    const bodies = [5, 6].map((times) => {
      const headers = { ...json, 'content-encoding': Array.from({ length: times }, () => 'gzip').join(', ') };
      return interpret({ response: encoded(times), headers }).responseBody.kind;
    });
    expect(bodies).toEqual(['json', 'binary']);
  });

  test('is decoded to a MiB, or to 64 times its size, and what would become more is kept as bytes', () => {
    const headers = { ...json, 'content-encoding': 'gzip' };
    const kindOf = (bytes: number): string => interpret({ response: gzipSync(Buffer.alloc(bytes, ' ')), headers }).responseBody.kind;
    expect([kindOf(1024 * 1024), kindOf(1024 * 1024 + 1), kindOf(8 * 1024 * 1024)]).toEqual(['text', 'binary', 'binary']);
  });

  test.each([
    ['501 lists', nested(500)],
    ['6,000 lists', nested(6000)],
    ['8,000 objects', `${'{"a":'.repeat(8000)}1${'}'.repeat(8000)}`],
    ['a filter of 5,000 branches', branches(5000)],
    ['200,000 lists', nested(200_000)],
  ])('with nesting beyond 500 levels is kept as text, and says its model, user and usage all the same (%s)', (_, deep) => {
    const request = `{"model":"echo-1","messages":${deep},"user":"ann"}`;
    const response = `{"model":"echo-1","choices":${deep},"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`;
    const record = interpret({ request, response });
    expect(record).toMatchObject({ requestBody: { kind: 'text', text: request }, responseBody: { kind: 'text', text: response } });
    expect(record).toMatchObject({
      requestModel: 'echo-1',
      userId: 'ann',
      responseModel: 'echo-1',
      usage: { promptTokens: 3, completionTokens: 2 },
    });
    expect(record.cost).toBeGreaterThan(0n);
  });

  test('with nesting of 500 levels is JSON', () => {
    const text = nested(500);
    expect(interpret({ request: text }).requestBody).toEqual({ kind: 'json', text });
  });

  test('of a million empty objects is kept as text, and says what it cost', () => {
    const response = `{"id":"c1","model":"echo-1","choices":[${'{},'.repeat(1_000_000)}{}],"usage":${usage}}`;
    expect(interpret({ response })).toMatchObject({ responseBody: { kind: 'text' }, responseModel: 'echo-1', usage: { promptTokens: 3 } });
  });

  test.each([
    [200_000, 'json'],
    [200_001, 'text'],
  ])('with spaces, of %d numbers whose digits would change, is kept with these digits as %s, and says its model', (count, kind) => {
    const compact = `{"model":"echo-1","input":[${'1.0,'.repeat(count - 1)}1.0]}`;
    const request = compact.replace(':', ': ');
    expect(interpret({ request })).toMatchObject({
      requestBody: { kind, text: kind === 'json' ? compact : request },
      requestModel: 'echo-1',
    });
  });

  test.each([
    [200_000, 'json'],
    [200_001, 'text'],
  ])('that is a stream of %d numbers whose value would change is kept with these as %s, and says what it cost', (count, kind) => {
    const response = chunksOf(count);
    const { responseBody, ...record } = interpret({ response, headers: stream });
    expect(record).toMatchObject({ responseModel: 'echo-1', usage: { promptTokens: 3 } });
    expect(responseBody).toMatchObject(kind === 'text' ? { kind, text: response } : { kind });
    expect('text' in responseBody && responseBody.text.includes('-0')).toBe(true);
  });

  test('that is a stream whose tools take very many numbers has those of the last ones as text', () => {
    const input = `[${'1.0,'.repeat(149_999)}1.0]`;
    const block = (index: number): readonly object[] => [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id: `t${index}`, name: 'f', input: {} } },
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: input } },
    ];
    const start = { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'c', content: [], usage: {} } };
    const all = [start, ...block(0), ...block(1), { type: 'message_stop' }];
    const response = all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const { responseBody } = interpret({ open: { provider: 'anthropic', path: '/v1/messages' }, response, headers: stream });
    const recorded = 'text' in responseBody ? responseBody.text : '';
    expect([responseBody.kind, recorded.split(`"input":${input}`).length, recorded.split(`"input":"${input}"`).length]).toEqual([
      'json',
      2,
      2,
    ]);
  });

  test('that is a stream kept as text is left out where redaction rules apply, as a match may be split over its events', () => {
    for (const response of [chunksOf(200_001), deepArguments(500)]) {
      const open = response.includes('content_block') ? { provider: 'anthropic', path: '/v1/messages' } : {};
      const { responseBody } = interpret({ open, response, headers: stream, redact });
      expect(responseBody).toEqual({ kind: 'text', text: redactedPlaceholder });
    }
  });

  test('that is a stream of more events than are put together is kept as text, and says what it cost', () => {
    const response = `${'data: {"choices":[{},{},{},{}]}\n\n'.repeat(150_000)}data: {"object":"chat.completion.chunk","model":"echo-1","choices":[],"usage":${usage}}\n\n`;
    const record = interpret({ response, headers: stream });
    expect(record).toMatchObject({ responseBody: { kind: 'text' }, responseModel: 'echo-1', usage: { promptTokens: 3 } });
  });

  test('that is a stream whose arguments would be too deep in their place is kept as text', () => {
    const delta = { tool_calls: [{ index: 0, id: 't', type: 'function', function: { name: 'f', arguments: nested(499) } }] };
    const event = { id: 'c1', object: 'chat.completion.chunk', model: 'echo-1', choices: [{ index: 0, delta }] };
    const record = interpret({ response: `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`, headers: stream });
    expect(record.responseBody.kind).toBe('json');
    const text = deepArguments(500);
    const anthropic = interpret({ open: { provider: 'anthropic', path: '/v1/messages' }, response: text, headers: stream });
    expect(anthropic.responseBody).toEqual({ kind: 'text', text });
  });
});
