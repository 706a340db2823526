import { Zstd } from '@hpcc-js/wasm-zstd';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { interpret, json, stream } from '../testing/exchange-builder.ts';

const zstd = await Zstd.load();
const packed = (text: string): Buffer => Buffer.from(zstd.compress(Buffer.from(text)));

const open = { provider: 'openai', path: '/v1/responses' };
const request = JSON.stringify({ model: 'gpt-5.5', prompt_cache_key: '019a3c1e-6f2b-7c41-9d05-1f2e3d4c5b6a', input: 'Say hello.' });
const answer = {
  id: 'r',
  model: 'gpt-5.5',
  status: 'completed',
  output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello.' }] }],
  usage: { input_tokens: 300, output_tokens: 40 },
};
const events = `data: ${JSON.stringify({ type: 'response.completed', response: answer })}\n\n`;

const codings: readonly (readonly [coding: string, encode: (text: string) => Buffer])[] = [
  ['gzip', (text) => gzipSync(text)],
  ['br', (text) => brotliCompressSync(text)],
  ['deflate', (text) => deflateSync(text)],
  ['deflate', (text) => deflateRawSync(text)],
  // Codex with a ChatGPT login sends it.
  ['zstd', packed],
  ['Zstd', (text) => Buffer.concat([packed(text.slice(0, 20)), packed(text.slice(20))])],
  ['gzip, zstd', (text) => Buffer.from(zstd.compress(gzipSync(text)))],
];

describe('a call is read in any content coding', () => {
  test.each(codings)('%s', (coding, encode) => {
    const requestHeaders = { ...json, 'content-encoding': coding };
    for (const [headers, response] of [
      [stream, events],
      [json, JSON.stringify(answer)],
    ] as const) {
      const record = interpret({
        open,
        requestHeaders,
        request: encode(request),
        headers: { ...headers, 'content-encoding': coding },
        response: encode(response),
      });
      expect(record).toMatchObject({
        requestModel: 'gpt-5.5',
        sessionId: '019a3c1e-6f2b-7c41-9d05-1f2e3d4c5b6a',
        lastUserText: 'Say hello.',
        completionText: 'Hello.',
        requestBody: { kind: 'json', text: request },
        usage: { promptTokens: 300, completionTokens: 40 },
      });
    }
  });

  test('a body that would become too large is recorded as it came', () => {
    const bomb = Buffer.from(zstd.compress(Buffer.alloc(128 * 1024 * 1024)));
    const record = interpret({ open, requestHeaders: { ...json, 'content-encoding': 'zstd' }, request: bomb });
    expect(record.requestBody).toEqual({ kind: 'binary', base64: bomb.toString('base64'), contentType: 'application/json' });
  });
});
