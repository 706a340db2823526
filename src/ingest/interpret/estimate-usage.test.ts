import { describe, expect, test } from 'vitest';
import { parseMoney } from '../../model/pricing/money.ts';
import { chatRequest } from '../testing/ingest-harness.ts';
import { interpret, type InterpretSketch, stream } from '../testing/exchange-builder.ts';
import { countTokens, maxCountedCharacters } from './count-tokens.ts';

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: unknown): string =>
  event({ id: 'c', object: 'chat.completion.chunk', model: 'gpt-4o-mini', choices: [{ index: 0, delta }] });
const openAi = { open: { provider: 'openai', path: '/v1/chat/completions', openedAt: Date.parse('2026-01-15') } };
const usageOf = (preview: InterpretSketch) => interpret({ ...openAi, headers: stream, ...preview }).usage;

const messageStart = event({
  type: 'message_start',
  message: {
    id: 'm',
    model: 'claude-sonnet-4-5',
    content: [],
    usage: { input_tokens: 25, cache_read_input_tokens: 100, output_tokens: 2 },
  },
});
const words = (text: string): string =>
  [
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  ].join('');
const anthropic = { open: { provider: 'anthropic', path: '/v1/messages', openedAt: Date.parse('2026-01-15') } };

describe('tokens that the provider did not report', () => {
  test('are estimated from the texts of a stream without a usage chunk, and priced', () => {
    const record = interpret({
      ...openAi,
      headers: stream,
      response: `${chunk({ content: 'Hello' })}${chunk({ content: ' world.' })}data: [DONE]\n\n`,
    });
    // "Say hello." and "Hello world." are three tokens each; four are put around a message, and three in front of the reply.
    expect(record.usage).toMatchObject({ promptTokens: 10, completionTokens: 3, estimated: true, raw: null });
    // 10 × 0.15 + 3 × 0.60 US dollars for a million.
    expect(record).toMatchObject({ cost: parseMoney('0.0000033'), costSource: 'price-book' });
  });

  test.each(['client_left', 'provider_broke'] as const)('are estimated from what was seen of a stream that ended %s', (outcome) => {
    expect(usageOf({ response: chunk({ content: 'Hello world.' }), end: { outcome } })).toMatchObject({
      promptTokens: 10,
      completionTokens: 3,
      estimated: true,
    });
  });

  test('are estimated where only the input was reported, which stays', () => {
    const response = `${messageStart}${words('Hello world.')}`;
    expect(usageOf({ ...anthropic, response, end: { outcome: 'client_left' } })).toMatchObject({
      promptTokens: 125,
      promptCacheReadTokens: 100,
      completionTokens: 3,
      estimated: true,
    });
  });

  test('are none of the output where the stream ended before its first word', () => {
    expect(usageOf({ ...anthropic, response: messageStart, end: { outcome: 'client_left' } })).toMatchObject({
      promptTokens: 125,
      completionTokens: 0,
      estimated: true,
    });
  });

  test('are estimated for an answer at once too, reasoning and calls of tools among them', () => {
    const message = { content: 'Hello world.', reasoning_content: 'Hello world.', tool_calls: [{ function: { arguments: '{"a":1}' } }] };
    const response = JSON.stringify({ model: 'm', choices: [{ message }] });
    expect(usageOf({ headers: { 'content-type': 'application/json' }, response }).completionTokens).toBeGreaterThan(6);
  });

  test('are not made up for the prompt where the request cannot be read', () => {
    expect(usageOf({ request: '{"model":"gpt-4o-mini","mess', response: chunk({ content: 'Hello world.' }) })).toMatchObject({
      promptTokens: null,
      completionTokens: 3,
    });
  });
});

describe('nothing is estimated', () => {
  const error = '{"error":{"message":"no"}}';
  test.each([
    ['of an error answer', { status: 400, response: error, headers: { 'content-type': 'application/json' } }],
    ['of an error that streams', { status: 429, response: chunk({ content: 'x' }) }],
    ['of a stream that is an error', { response: event({ error: { message: 'no' } }) }],
    ['of a stream that ended before its first word', { response: chunk({ role: 'assistant' }), end: { outcome: 'client_left' } }],
    ['of a call without a response', { head: false, response: '', end: { outcome: 'no_response' } }],
    ['of a stream that is not understood', { response: 'data: something\n\n' }],
    ['of an endpoint that is not understood', { open: { provider: 'openai', path: '/v1/else' }, response: chunk({ content: 'x' }) }],
    ['of a body that never was written', { tags: { responseBody: 'never' }, response: '' }],
  ] as const)('%s', (_, preview) => {
    expect(usageOf(preview)).toMatchObject({ promptTokens: null, completionTokens: null, estimated: false });
  });

  test('that was reported', () => {
    const usage = { prompt_tokens: 30, completion_tokens: 0 };
    expect(usageOf({ response: `${chunk({ content: 'Hello world.' })}${event({ choices: [], usage })}` })).toMatchObject({
      promptTokens: 30,
      completionTokens: 0,
      estimated: false,
    });
  });

  test('of vectors, which are no tokens', () => {
    const response = '{"object":"list","data":[],"usage":{"prompt_tokens":4,"total_tokens":4}}';
    const embeddings = { open: { provider: 'openai', path: '/v1/embeddings' }, headers: { 'content-type': 'application/json' } };
    expect(usageOf({ ...embeddings, request: chatRequest, response })).toMatchObject({ completionTokens: null, estimated: false });
  });
});

// An embedding is input alone: some servers, and spans of some instrumentations, tell no usage of one.
test.each([
  ['one text', '"Hello world."', 3],
  ['several texts', '["Hello world.","Hello world."]', 6],
  ['token ids, which are no text', '[[1,2,3]]', null],
])('the input of an embedding without usage is estimated: %s', (_what, input, tokens) => {
  const embeddings = { open: { provider: 'openai', path: '/v1/embeddings' }, headers: { 'content-type': 'application/json' } };
  const request = `{"model":"text-embedding-3-small","input":${input}}`;
  expect(usageOf({ ...embeddings, request, response: '{"object":"list","data":[]}' })).toMatchObject({
    promptTokens: tokens,
    completionTokens: null,
    estimated: tokens !== null,
  });
});

describe('countTokens', () => {
  test.each([
    ['', 'gpt-4o', 0],
    ['Hello world.', 'gpt-4o', 3],
    ['Hello world.', 'claude-sonnet-4-5', 3],
    // A word that the older vocabulary of OpenAI has not whole.
    ['सहायता', 'gpt-4-turbo', 6],
    ['सहायता', 'gpt-4o', 4],
    ['<|endoftext|>', 'gpt-4o', 7],
    ['\uD83D', 'gpt-4o', 1],
  ])('of %j for %s is %i', (text, model, tokens) => {
    expect(countTokens(text, model)).toBe(tokens);
  });

  test('reads so much of a text, and takes the rest to be like it', () => {
    const sentence = 'The harbour opens at six, and the first ferry leaves soon. ';
    const short = sentence.repeat(Math.floor(maxCountedCharacters / sentence.length));
    const ratio = countTokens(short.repeat(100), 'gpt-4o') / countTokens(short, 'gpt-4o');
    expect(ratio).toBeGreaterThan(99);
    expect(ratio).toBeLessThan(101);
  });

  test.each(['a'.repeat(50_000), '港'.repeat(50_000), ' '.repeat(50_000), '👩‍👩‍👧'.repeat(5_000)])(
    'is bounded for a text without words: %.5s',
    (text) => {
      expect(countTokens(text, 'gpt-4o')).toBeLessThanOrEqual(text.length);
    },
  );
});
