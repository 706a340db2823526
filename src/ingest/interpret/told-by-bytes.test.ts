import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { redactionTargets } from '../../model/redaction-rule.ts';
import { encodeAmazonChunks, encodeAmazonEvents } from '../../providers/amazon/testing/encode-events.ts';
import { readServerSentEvents } from '../../providers/format/sse.ts';
import { compileRules } from '../../redaction/redactor.ts';
import { redactTexts } from '../redaction/redact-texts.ts';
import { interpret, type InterpretSketch } from '../testing/exchange-builder.ts';

/** Content types under which servers send streams, each as it was reported of one: vLLM's Ascend port, proxies of Codex, LMDeploy, others. */
const labels = [
  undefined,
  'application/json',
  'text/plain; charset=utf-8',
  'text/html',
  'application/octet-stream',
  'application/x-ndjson',
];
const headersOf = (type: string | undefined, more: Readonly<Record<string, string>> = {}) =>
  type === undefined ? more : { 'content-type': type, ...more };

const chat = { provider: 'openai', path: '/v1/chat/completions' };
const chunk = (delta: object, rest: object = {}): string =>
  JSON.stringify({ object: 'chat.completion.chunk', model: 'gpt-4o', choices: [{ index: 0, delta }], ...rest });
const usage = { prompt_tokens: 300, completion_tokens: 40, total_tokens: 340 };
const said = [chunk({ content: 'Call ann@exam' }), chunk({ content: 'ple.com' }), chunk({}, { usage })];
const stream = `${said.map((data) => `data: ${data}\n\n`).join('')}data: [DONE]\n\n`;
const read = {
  completionText: 'Call ann@example.com',
  responseBody: { kind: 'json' },
  usage: { promptTokens: 300, completionTokens: 40, estimated: false },
};

const redact: InterpretSketch['redact'] = (texts) =>
  redactTexts(texts, compileRules([{ kind: 'email', pattern: null, replacement: '[email]', appliesTo: redactionTargets }]));
const shown = ({ responseBody, completionText }: RequestRecord): string => JSON.stringify([responseBody, completionText]);
const recording = (name: string): Buffer => readFileSync(new URL(`../../providers/${name}`, import.meta.url));

describe('a stream of events is read, and redacted, under any content type', () => {
  test.each(labels)('%s', (type) => {
    const sketch = { open: chat, headers: headersOf(type), response: stream };
    expect(interpret(sketch)).toMatchObject({ ...read, timeToFirstTokenMs: 6 });
    const redacted = interpret({ ...sketch, redact });
    expect(redacted.completionText).toBe('Call [email]');
    expect(shown(redacted)).not.toMatch(/ann@exam/);
  });

  test.each([
    ['a byte order mark', `\ufeff${stream}`],
    ['blank lines', `\r\n\r\n\n  \n${stream}`],
    ['a comment', `: OPENROUTER PROCESSING\n\n${stream}`],
    ['the name of an event', `event: message\n${stream}`],
    ['an identifier and a time to retry', `id: 1\nretry: 3000\n${stream}`],
    ['a line that is none of its fields', `OK\n\n${stream}`],
    ['carriage returns', stream.replaceAll('\n', '\r')],
    ['an object in front', `{"status":"ok"}\n\n${stream}`],
  ])('behind %s', (_case, response) => {
    for (const type of [...labels, 'text/event-stream']) {
      expect(interpret({ open: chat, headers: headersOf(type), response })).toMatchObject(read);
    }
  });

  test.each([
    ['gzip', gzipSync(stream)],
    ['br', brotliCompressSync(stream)],
  ])('compressed with %s', (coding, response) => {
    expect(interpret({ open: chat, headers: headersOf('application/json', { 'content-encoding': coding }), response })).toMatchObject(read);
  });

  test.each([
    ['anthropic', '/v1/messages', 'anthropic/__fixtures__/messages-response.sse'],
    ['openai', '/v1/responses', 'openai/__fixtures__/responses-response.sse'],
    ['cohere', '/v2/chat', 'cohere/__fixtures__/chat-response.sse'],
    ['gemini', '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse', 'google/__fixtures__/generate-response.sse'],
  ])('of %s', (provider, path, name) => {
    const labelled = interpret({ open: { provider, path }, headers: headersOf('text/event-stream'), response: recording(name) });
    for (const type of labels) {
      const {
        responseBody,
        usage: counts,
        completionText,
      } = interpret({ open: { provider, path }, headers: headersOf(type), response: recording(name) });
      expect({ responseBody, usage: counts, completionText }).toEqual({
        responseBody: labelled.responseBody,
        usage: labelled.usage,
        completionText: labelled.completionText,
      });
    }
    expect(labelled.usage.promptTokens).not.toBeNull();
  });

  test('of binary messages', () => {
    const events = readServerSentEvents([recording('anthropic/__fixtures__/messages-response.sse')]);
    const path = '/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/invoke-with-response-stream';
    for (const type of [...labels, 'text/event-stream']) {
      const record = interpret({ open: { provider: 'bedrock', path }, headers: headersOf(type), response: encodeAmazonChunks(events) });
      expect(record).toMatchObject({ usage: { promptTokens: 3289, completionTokens: 23 }, responseBody: { kind: 'json' } });
    }
  });

  test('that no format understands leaves out all of it where rules apply', () => {
    const unknown = { provider: 'openai', path: '/v1/unknown' };
    for (const type of labels) {
      const record = interpret({
        open: unknown,
        headers: headersOf(type),
        response: 'data: {"t":"ann@exam"}\n\ndata: {"t":"ple.com"}\n\n',
        redact,
      });
      expect(shown(record)).not.toMatch(/exam/);
      const messages = encodeAmazonEvents([{ event: 'a', data: '{"t":"ann@example.com"}' }]);
      expect(shown(interpret({ open: unknown, headers: headersOf(type), response: messages, redact }))).not.toMatch(/ann|YW5u/);
    }
  });
});

describe('JSON is read under the content type of a stream', () => {
  const answer = JSON.stringify({ model: 'gpt-4o', choices: [{ message: { content: 'Call ann@example.com' } }], usage });

  test.each(['text/event-stream', 'application/x-ndjson', 'application/vnd.amazon.eventstream', undefined])('%s', (type) => {
    expect(interpret({ open: chat, headers: headersOf(type), response: answer })).toMatchObject({ ...read, timeToFirstTokenMs: null });
    expect(interpret({ open: chat, headers: headersOf(type), response: `\ufeff\n ${answer}\n` })).toMatchObject({ usage: read.usage });
    expect(interpret({ open: chat, headers: headersOf(type), response: answer, redact }).completionText).toBe('Call [email]');
  });

  test('as an error is', () => {
    const error = { error: { message: 'no such model' } };
    const record = interpret({ open: chat, headers: headersOf('text/event-stream'), response: JSON.stringify(error), status: 404 });
    expect(record.responseBody).toEqual({ kind: 'json', text: JSON.stringify(error) });
  });
});

describe('a stream written as JSON by line is read under any content type', () => {
  test.each([...labels, 'text/event-stream'])('%s', (type) => {
    const response = `${said.join('\n')}\n`;
    expect(interpret({ open: chat, headers: headersOf(type), response })).toMatchObject({ ...read, timeToFirstTokenMs: 6 });
    expect(shown(interpret({ open: chat, headers: headersOf(type), response, redact }))).not.toMatch(/exam/);
    const ollama = ['Six', ' sharp.', ''].map((content, index) =>
      JSON.stringify({
        model: 'm',
        message: { content },
        done: index === 2,
        ...(index === 2 ? { prompt_eval_count: 9, eval_count: 3 } : {}),
      }),
    );
    const record = interpret({ open: { provider: 'ollama', path: '/api/chat' }, headers: headersOf(type), response: ollama.join('\n') });
    expect(record).toMatchObject({ completionText: 'Six sharp.', usage: { promptTokens: 9, completionTokens: 3, estimated: false } });
  });
});

test.each(['data: is what we need\nfor it', 'event: the opening', ': )', 'data: one line', 'WEBVTT\n\n00:00 --> 00:02\nAhoy'])(
  'a text that only looks like an event is a text: %s',
  (response) => {
    const record = interpret({
      open: { provider: 'openai', path: '/v1/audio/transcriptions' },
      headers: headersOf('text/plain'),
      response,
    });
    expect(record).toMatchObject({ completionText: response, responseBody: { kind: 'text', text: response }, timeToFirstTokenMs: null });
  },
);
