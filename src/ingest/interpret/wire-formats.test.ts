import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { encodeAmazonChunks, encodeAmazonEvents } from '../../providers/amazon/testing/encode-events.ts';
import { readServerSentEvents } from '../../providers/format/sse.ts';
import { interpret, type InterpretSketch, json, stream } from '../testing/exchange-builder.ts';

const recording = (name: string): string => readFileSync(new URL(`../../providers/${name}`, import.meta.url), 'utf8');

interface Call extends InterpretSketch {
  readonly provider: string;
  readonly path: string;
  readonly targetUrl?: string;
  readonly method?: string;
}

const call = ({ provider, path, targetUrl, method = 'POST', ...preview }: Call): RequestRecord => {
  const open = { provider, path, method, openedAt: Date.parse('2026-03-01T00:00:00Z') };
  return interpret({ ...preview, open: targetUrl === undefined ? open : { ...open, targetUrl } });
};

const messages = { provider: 'anthropic', path: '/v1/messages', request: recording('anthropic/__fixtures__/messages-request.json') };
const claudeAtAmazon = {
  provider: 'bedrock',
  request: messages.request.replace(/"model":.*/, '"anthropic_version": "bedrock-2023-05-31",'),
};
const claudePath = '/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0';
const converse = { provider: 'bedrock', request: recording('amazon/__fixtures__/converse-request.json') };
const eventsOf = (name: string) => readServerSentEvents([Buffer.from(recording(name))]);
const conversation = encodeAmazonEvents(eventsOf('amazon/__fixtures__/converse-response.sse'));
const amazonStream = { 'content-type': 'application/vnd.amazon.eventstream' };
const generate = { provider: 'gemini', request: recording('google/__fixtures__/generate-request.json') };
const generatePath = '/v1beta/models/gemini-2.5-flash:generateContent';
const streamGeneratePath = '/v1beta/models/gemini-2.5-flash:streamGenerateContent';
const cohere = { provider: 'cohere', path: '/v2/chat', request: recording('cohere/__fixtures__/chat-request.json') };
const responses = { provider: 'openai', path: '/v1/responses', request: recording('openai/__fixtures__/responses-request.json') };

const form = [
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg\r\n\r\n',
  Buffer.from([0xff, 0xfb, 0x00, 0x0d, 0x0a]),
  '\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n--b\r\n',
  'Content-Disposition: form-data; name="prompt"\r\n\r\nÖresund\r\n--b--\r\n',
];
const transcription = {
  provider: 'openai',
  path: '/v1/audio/transcriptions',
  request: Buffer.concat(form.map((part) => Buffer.from(part))),
  requestHeaders: { 'content-type': 'multipart/form-data; boundary=b' },
};

describe('a call of every wire format', () => {
  test.each([
    {
      name: 'Anthropic messages',
      preview: { ...messages, response: recording('anthropic/__fixtures__/messages-response.json') },
      expected: { provider: 'ANTHROPIC', requestModel: 'claude-sonnet-4-5', userId: 'passenger-17', status: 200 },
      usage: { promptTokens: 3289, completionTokens: 23, promptCacheReadTokens: 2048, promptCacheWriteTokens: 1200 },
    },
    {
      name: 'Anthropic messages as a stream',
      preview: { ...messages, response: recording('anthropic/__fixtures__/messages-response.sse'), headers: stream },
      expected: { timeToFirstTokenMs: 6, responseModel: 'claude-sonnet-4-5-20250929' },
      usage: { promptTokens: 3289, completionTokens: 23 },
    },
    {
      name: 'Anthropic messages by Bedrock',
      preview: { ...claudeAtAmazon, path: `${claudePath}/invoke`, response: recording('anthropic/__fixtures__/messages-response.json') },
      expected: { provider: 'AWS', requestModel: 'us.anthropic.claude-sonnet-4-20250514-v1:0', status: 200 },
      usage: { promptTokens: 3289, completionTokens: 23 },
    },
    {
      name: 'Anthropic messages by Bedrock as a stream',
      preview: {
        ...claudeAtAmazon,
        path: `${claudePath}/invoke-with-response-stream`,
        response: encodeAmazonChunks(eventsOf('anthropic/__fixtures__/messages-response.sse')),
        headers: amazonStream,
      },
      expected: { timeToFirstTokenMs: 6, responseModel: 'claude-sonnet-4-5-20250929' },
      usage: { promptTokens: 3289, completionTokens: 23, promptCacheReadTokens: 2048, promptCacheWriteTokens: 1200 },
    },
    {
      name: 'Bedrock Converse',
      preview: { ...converse, path: `${claudePath}/converse`, response: recording('amazon/__fixtures__/converse-response.json') },
      expected: { provider: 'AWS', model: 'us.anthropic.claude-sonnet-4-20250514-v1:0', timeToFirstTokenMs: null },
      usage: { promptTokens: 3289, completionTokens: 23, promptCacheReadTokens: 2048, promptCacheWriteTokens: 1200 },
    },
    {
      name: 'Bedrock Converse as a stream',
      preview: { ...converse, path: `${claudePath}/converse-stream`, response: conversation, headers: amazonStream },
      expected: { timeToFirstTokenMs: 6, priceReference: 'aws/regional.anthropic.claude-sonnet-4-20250514-v1:0' },
      usage: { promptTokens: 3289, completionTokens: 23, promptCacheWriteHourTokens: 1000 },
    },
    {
      name: 'Cohere chat',
      preview: { ...cohere, response: recording('cohere/__fixtures__/chat-response.json') },
      expected: { provider: 'COHERE', requestModel: 'command-a-03-2025', model: 'command-a-03-2025', timeToFirstTokenMs: null },
      usage: { promptTokens: 118, completionTokens: 21, promptCacheReadTokens: 96 },
    },
    {
      name: 'Cohere chat as a stream',
      preview: { ...cohere, response: recording('cohere/__fixtures__/chat-response.sse'), headers: stream },
      expected: { timeToFirstTokenMs: 6, responseId: 'b7e1c2f4-5a06-4d3b-9c8e-2f1d0a9b8c7d' },
      usage: { promptTokens: 118, completionTokens: 21 },
    },
    {
      name: 'Gemini generateContent',
      preview: { ...generate, path: generatePath, response: recording('google/__fixtures__/generate-response.json') },
      expected: { provider: 'GOOGLE', requestModel: 'gemini-2.5-flash', timeToFirstTokenMs: null },
      usage: { promptTokens: 1830, completionTokens: 101, reasoningTokens: 84, promptAudioTokens: 300 },
    },
    {
      name: 'Gemini streamGenerateContent as events',
      preview: {
        ...generate,
        path: `${streamGeneratePath}?alt=sse`,
        response: recording('google/__fixtures__/generate-response.sse'),
        headers: stream,
      },
      expected: { timeToFirstTokenMs: 6, responseId: 'q7ZkaYvXLpGk28oP5Jyd-A4' },
      usage: { promptTokens: 1830, completionTokens: 101 },
    },
    {
      name: 'Gemini streamGenerateContent as a list',
      preview: { ...generate, path: streamGeneratePath, response: recording('google/__fixtures__/generate-list.txt') },
      expected: { timeToFirstTokenMs: 6, responseId: 'q7ZkaYvXLpGk28oP5Jyd-A4' },
      usage: { promptTokens: 1830, completionTokens: 101 },
    },
    {
      name: 'OpenAI responses as a stream',
      preview: { ...responses, response: recording('openai/__fixtures__/responses-response.sse'), headers: stream },
      expected: { provider: 'OPENAI', requestModel: 'gpt-5-mini', responseModel: 'gpt-5-mini-2025-08-07', serviceTier: 'default' },
      usage: { promptTokens: 1830, completionTokens: 117, promptCacheReadTokens: 1664, reasoningTokens: 64 },
    },
  ])('$name becomes a record with texts, tokens and cost', ({ preview: sketch, expected, usage }) => {
    const record = call(sketch);
    expect(record).toMatchObject({
      ...expected,
      usage: { ...usage, estimated: false },
      completionText: 'The harbour opens at six 🌅, and the first ferry leaves at 6:20.',
      lastUserText: 'When does the first ferry leave?\nThe photo shows the pier. 🛳️',
      costSource: 'price-book',
      responseBody: { kind: 'json' },
    });
  });

  test('streamed, has the body that it would have had without streaming', () => {
    const whole = { kind: 'json', text: JSON.stringify(JSON.parse(recording('google/__fixtures__/generate-response.json'))) };
    const list = { ...generate, path: streamGeneratePath, response: recording('google/__fixtures__/generate-list.txt') };
    expect(JSON.parse(textOf(call(list)))).toEqual(JSON.parse(whole.text));
    expect(
      JSON.parse(textOf(call({ ...responses, response: recording('openai/__fixtures__/responses-response.sse'), headers: stream }))),
    ).toEqual(JSON.parse(recording('openai/__fixtures__/responses-response.json')));
  });
});

function textOf({ responseBody }: RequestRecord): string {
  return 'text' in responseBody ? responseBody.text : '';
}

describe('a stream of binary messages', () => {
  const streamed = { ...converse, path: `${claudePath}/converse-stream`, headers: amazonStream };
  const answer = 'The harbour opens at six 🌅, and the first ferry leaves at 6:20.';

  test('has the body that it would have had without streaming', () => {
    const whole: unknown = JSON.parse(recording('amazon/__fixtures__/converse-response.json'));
    expect(JSON.parse(textOf(call({ ...streamed, response: conversation })))).toEqual(whole);
  });

  test('is whole by its own content where its gateway died', () => {
    const record = interpret({ ...streamed, open: { provider: 'bedrock', path: streamed.path }, response: conversation, end: null });
    expect(record).toMatchObject({ status: 200, completionText: answer });
  });

  test('that the client left is what came by then, and its tokens are estimated', () => {
    const record = call({ ...streamed, response: conversation.subarray(0, -400), end: { outcome: 'client_left' } });
    expect(record).toMatchObject({
      status: 499,
      completionText: answer,
      responseBody: { kind: 'json' },
      usage: { promptTokens: expect.any(Number) as number, completionTokens: expect.any(Number) as number, estimated: true },
    });
  });

  test('with an altered byte tells what came before it, and is kept as it came', () => {
    const altered = Buffer.from(conversation);
    altered.writeUInt8(altered.readUInt8(altered.length - 200) ^ 1, altered.length - 200);
    const record = call({ ...streamed, response: altered });
    expect(record).toMatchObject({ completionText: answer, usage: { estimated: true } });
    expect(record.responseBody).toEqual({ kind: 'binary', base64: altered.toString('base64'), contentType: amazonStream['content-type'] });
  });

  test('is identified by its head, as an error is', () => {
    const identified = { 'x-amzn-requestid': '7f0a1c52-4f5d-4a57-9e0a-6f1d2c3b4a59' };
    const error = { response: recording('amazon/__fixtures__/converse-error.json'), status: 400, headers: { ...json, ...identified } };
    const records = [
      call({ ...streamed, response: conversation, headers: { ...amazonStream, ...identified } }),
      call({ ...streamed, ...error }),
    ];
    expect(records.map(({ responseId }) => responseId)).toEqual([identified['x-amzn-requestid'], identified['x-amzn-requestid']]);
  });

  test('that no format puts together is kept as it came', () => {
    const record = call({ ...streamed, path: '/model/amazon.nova-lite-v1:0/invoke-with-response-stream', response: conversation });
    expect(record).toMatchObject({ completionText: '', cost: null, responseBody: { kind: 'binary' } });
  });
});

describe('an error is identified', () => {
  const refused = { status: 429, headers: { ...json, 'x-request-id': 'req_head' } };

  test('by its head at OpenAI, whose body has no place for it', () => {
    const openAi = { provider: 'openai', path: '/v1/chat/completions', response: recording('openai/__fixtures__/chat-error.json') };
    expect(call({ ...openAi, ...refused }).responseId).toBe('req_head');
    expect(call({ ...openAi, ...refused, response: '{"id":"chatcmpl-1","choices":[]}' }).responseId).toBe('chatcmpl-1');
  });

  test('by its body at Anthropic, or by its head', () => {
    const error = recording('anthropic/__fixtures__/messages-error.json');
    expect(call({ ...messages, status: 400, response: error }).responseId).toBe('req_011');
    const withoutBody = { ...messages, status: 529, headers: { ...json, 'request-id': 'req_head' } };
    expect(call({ ...withoutBody, response: '{"type":"error"}' }).responseId).toBe('req_head');
  });
});

describe('a form with a recording', () => {
  test('tells its model and prompt, and the answer its words and seconds', () => {
    const record = call({ ...transcription, response: '{"text":"Till Öresund.","usage":{"type":"duration","seconds":60}}' });
    expect(record).toMatchObject({
      model: 'whisper-1',
      promptText: 'Öresund',
      completionText: 'Till Öresund.',
      usage: { audioSeconds: 60 },
      requestBody: { kind: 'binary' },
    });
  });

  test('may be answered with plain text', () => {
    const record = call({ ...transcription, response: 'Till Öresund.\n', headers: { 'content-type': 'text/plain' } });
    expect(record).toMatchObject({ completionText: 'Till Öresund.\n', responseBody: { kind: 'text' }, usage: { promptTokens: null } });
  });
});

test('what the base address of a target ends with belongs to the path by which a call is read', () => {
  const response = recording('anthropic/__fixtures__/messages-response.json');
  const target = { ...messages, provider: 'custom', path: '/messages', response };
  const understood = { requestModel: 'claude-sonnet-4-5', usage: { promptTokens: 3289, completionTokens: 23 } };
  expect(call({ ...target, targetUrl: 'https://models.example/v1/messages' })).toMatchObject(understood);
  expect(call({ ...target, targetUrl: 'https://models.example/mail/messages' })).toMatchObject({
    requestModel: understood.requestModel,
    usage: { promptTokens: null },
  });
  expect(call({ ...messages, response, targetUrl: '' })).toMatchObject(understood);
});

test.each([
  ['the name of its host does not', 'http://api/chat', '/chat', ''],
  [
    'and what stands there like the name of a model is none',
    `https://proxy.example/models/team-a${generatePath}`,
    generatePath,
    'gemini-2.5-flash',
  ],
])('%s', (_, targetUrl, path, requestModel) => {
  expect(call({ ...generate, provider: 'custom', path, targetUrl })).toMatchObject({ requestModel });
});

test('speech is a recording that tells nothing', () => {
  const record = call({
    provider: 'openai',
    path: '/v1/audio/speech',
    request: recording('openai/__fixtures__/speech-request.json'),
    response: Buffer.from([0xff, 0xfb, 0x90]),
    headers: { 'content-type': 'audio/mpeg' },
  });
  expect(record).toMatchObject({
    model: 'gpt-4o-mini-tts',
    promptText: 'The harbour opens at six.',
    cost: null,
    usage: { promptTokens: null },
  });
  expect(record.responseBody).toMatchObject({ kind: 'binary', contentType: 'audio/mpeg' });
});

test('a list that the client left is what came by then', () => {
  const list = recording('google/__fixtures__/generate-list.txt');
  const record = call({
    ...generate,
    path: streamGeneratePath,
    response: list.slice(0, -200),
    headers: json,
    end: { outcome: 'client_left' },
  });
  expect(record).toMatchObject({ status: 499, responseBody: { kind: 'json' }, usage: { promptTokens: 1830 } });
  expect(record.completionText).toMatch(/^The harbour opens/);
});

describe('a call of an endpoint that is not understood', () => {
  test.each([
    ['openai', '/v1/moderations', { model: 'omni-moderation-latest', input: 'x' }, 'omni-moderation-latest'],
    ['cohere', '/v2/rerank', { model: 'rerank-v3.5', query: 'x', documents: [] }, 'rerank-v3.5'],
    ['cohere', '/v1/chat', { model: 'command-r', message: 'x' }, 'command-r'],
    ['anthropic', '/v1/messages/count_tokens?beta=true', { model: 'claude-sonnet-4-6', messages: [] }, 'claude-sonnet-4-6'],
    ['gemini', '/v1beta/models/gemini-2.5-flash:countTokens', { contents: [] }, 'gemini-2.5-flash'],
    ['bedrock', '/model/amazon.nova-lite-v1%3A0/invoke', { messages: [] }, 'amazon.nova-lite-v1:0'],
    ['bedrock', '/model/meta.llama3-8b-instruct-v1:0/invoke', { prompt: 'x' }, 'meta.llama3-8b-instruct-v1:0'],
    ['openai', '/v1/files', { purpose: 'batch' }, 'unknown'],
  ])('of %s at %s names its model', (provider, path, body, model) => {
    const record = call({ provider, path, request: JSON.stringify(body), response: '{"id":"x"}' });
    expect(record).toMatchObject({ model, cost: null, usage: { promptTokens: null } });
  });

  test('has the model that answered, and without a body none of its path', () => {
    const answered = { provider: 'openai', path: '/v1/moderations', request: '{"model":"a"}', response: '{"model":"b"}' };
    expect(call(answered)).toMatchObject({ requestModel: 'a', responseModel: 'b', model: 'b' });
    expect(call({ provider: 'gemini', path: '/v1beta/models/m', method: 'GET', request: '', response: '{}' }).model).toBe('unknown');
  });
});
