import { describe, expect, test } from 'vitest';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { interpret, json, stream } from '../testing/exchange-builder.ts';

/** Digits that JavaScript would change: an integer above 2⁵³, a number that is too large, and zero with a sign. */
const digits = ['9007199254740993', '2512292042121000001', '1e400', '-0', '0.10000000000000000001'];

function textOf(body: RecordedBody): string {
  return 'text' in body ? body.text : '';
}

const events = (...all: readonly string[]): string => all.map((data) => `data: ${data}\n\n`).join('');

const inputDelta = (delta: string): string =>
  `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${JSON.stringify(delta)}}}`;

describe.each(digits)('%s is recorded as it came', (number) => {
  test('in JSON, also where its white space and escapes are not kept', () => {
    for (const body of [`{"model":"gpt-4o","seed":${number}}`, `{ "model": "gpt\\u002d4o", "seed": ${number} }`]) {
      const record = interpret({ request: body, response: body });
      expect(textOf(record.requestBody)).toBe(`{"model":"gpt-4o","seed":${number}}`);
      expect(textOf(record.responseBody)).toBe(`{"model":"gpt-4o","seed":${number}}`);
      expect(record.requestModel).toBe('gpt-4o');
    }
  });

  test('in the arguments of a tool that a stream sends in pieces', () => {
    const half = Math.ceil(number.length / 2);
    const response = events(
      '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}',
      '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"find","input":{}}}',
      inputDelta(`{"order": ${number.slice(0, half)}`),
      inputDelta(`${number.slice(half)}, "rate": 1.0}`),
      '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}',
      '{"type":"message_stop"}',
    );
    const record = interpret({ open: { provider: 'anthropic', path: '/v1/messages' }, headers: stream, response });
    expect(textOf(record.responseBody)).toContain(`"input":{"order":${number},"rate":1.0}`);
    expect(record.usage).toMatchObject({ promptTokens: 5, completionTokens: 20 });
  });

  test('in the arguments of a tool that a stream sends whole, and in what no reader knows', () => {
    const call = `{"functionCall":{"name":"find","args":{"order":${number}}}}`;
    const response = events(
      `{"candidates":[{"content":{"role":"model","parts":[${call}]}}],"later":${number},"modelVersion":"gemini-2.5-pro"}`,
      `{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]},"finishReason":"STOP"}],"later":${number},"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3,"totalTokenCount":10}}`,
    );
    const record = interpret({
      open: { provider: 'google', path: '/v1beta/models/gemini-2.5-pro:streamGenerateContent' },
      headers: stream,
      response,
    });
    expect(textOf(record.responseBody)).toContain(`"args":{"order":${number}}`);
    expect(textOf(record.responseBody)).toContain(`"later":${number}`);
    expect(record.usage).toMatchObject({ promptTokens: 7, completionTokens: 3 });
  });

  test('in chunks that repeat it, once', () => {
    const chunk = (text: string): string =>
      `{"id":"c","seen":${number},"choices":[{"index":0,"delta":{"content":"${text}","extra":${number}}}]}`;
    const response = events(chunk('a'), chunk('b'), '[DONE]');
    const body = textOf(interpret({ open: { provider: 'openai' }, headers: stream, response }).responseBody);
    expect(body).toContain(`"seen":${number},`);
    expect(body).toContain(`"extra":${number}`);
    expect(body).toContain('"content":"ab"');
  });

  test('in lines of JSON', () => {
    const lines = [
      `{"model":"llama3","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"find","arguments":{"order":${number}}}}]},"done":false}`,
      '{"model":"llama3","message":{"role":"assistant","content":""},"done":true,"prompt_eval_count":4,"eval_count":2}',
    ].join('\n');
    const record = interpret({
      open: { provider: 'ollama', path: '/api/chat' },
      headers: { 'content-type': 'application/x-ndjson' },
      response: `${lines}\n`,
    });
    expect(textOf(record.responseBody)).toContain(`"arguments":{"order":${number}}`);
    expect(record.usage).toMatchObject({ promptTokens: 4, completionTokens: 2 });
  });
});

test('numbers that are written in another way are numbers to a reader', () => {
  const usage = '{"prompt_tokens":1.1e1,"completion_tokens":7.0,"total_tokens":18,"cost":0.00012345678901234567}';
  const response = `{"id":"c","model":"m","choices":[],"usage":${usage}}`;
  const streamed = events(`{"id":"c","model":"m","choices":[],"usage":${usage}}`, '[DONE]');
  for (const sent of [
    { headers: json, response },
    { headers: stream, response: streamed },
  ]) {
    const record = interpret({ open: { provider: 'openrouter' }, ...sent });
    expect(record.usage).toMatchObject({ promptTokens: 11, completionTokens: 7 });
    expect(record.costSource).toBe('provider');
  }
});

test('a text that looks like a marked number stays a text', () => {
  const request = '{"messages":[{"role":"user","content":"\u{10FFFF}12"}],"seed":9007199254740993}';
  expect(textOf(interpret({ request }).requestBody)).toBe(request);
});
