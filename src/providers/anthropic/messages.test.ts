import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../model/text.ts';
import { describeWireFormat } from '../testing/contract-suite.ts';
import type { AssembledStream } from '../format/provider.ts';
import { readServerSentEvents } from '../format/sse.ts';
import { anthropicMessages } from './messages.ts';

const recordings = new URL('./__fixtures__/', import.meta.url);
const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, recordings)));
const jsonOf = (name: string): unknown => parseJson(new TextDecoder().decode(bytesOf(name)));
const assemble = (name: string): AssembledStream => anthropicMessages.assembleStream(readServerSentEvents([bytesOf(name)]));
const assembleEvents = (...events: readonly unknown[]): AssembledStream =>
  anthropicMessages.assembleStream(events.map((event) => ({ event: 'message', data: JSON.stringify(event) })));

const toolStart = { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'n', input: {} } };

describeWireFormat(anthropicMessages, { folder: recordings, prefix: 'messages-' });

const advice = (model: string) => ({ type: 'advisor_message', model, input_tokens: 1, output_tokens: 2 });

describe('a request', () => {
  it('gives model, the user of its metadata, all texts with the system first, and what the user said last', () => {
    const lastUserText = 'When does the first ferry leave?\nThe photo shows the pier. 🛳️';
    expect(anthropicMessages.readRequest(jsonOf('messages-request.json'), '/v1/messages')).toEqual({
      model: 'claude-sonnet-4-5',
      user: 'passenger-17',
      promptText: ['You know the timetable of the harbour.', 'Good morning.', 'Good morning. Where to?', lastUserText].join('\n'),
      firstUserText: 'Good morning.',
      lastUserText,
    });
  });

  const device = 'd85ce1c4ca8145f5';
  const account = '0197b000-0000-7000-8000-00000000000a';
  const session = 'a01e6601-6303-445c-80c8-9c5474e5cd40';
  it.each([
    ['an account', JSON.stringify({ device_id: device, account_uuid: account, session_id: session }), account],
    ['a device without an account', JSON.stringify({ device_id: device, account_uuid: '', session_id: session }), device],
    ['an account, as it was in 2025', `user_${device}_account_${account}_session_${session}`, account],
    ['a device, as it was in 2025', `user_${device}_account__session_${session}`, device],
    ['anybody else`s JSON is their text', '{"device_id": "d"}', '{"device_id": "d"}'],
    ['so is what only looks like JSON', '{passenger', '{passenger'],
    ['and a name with such a part', 'user_x_session_1', 'user_x_session_1'],
  ])('of Claude Code names the user without the session: %s', (_what, userId, user) => {
    expect(anthropicMessages.readRequest({ metadata: { user_id: userId } }, '').user).toBe(user);
  });

  it('may name its model in the path', () => {
    const path = '/v1/projects/p/locations/eu/publishers/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict';
    expect(anthropicMessages.readRequest({ anthropic_version: 'vertex-2023-10-16' }, path).model).toBe('claude-sonnet-4-5@20250929');
  });
});

describe('a path of Bedrock', () => {
  const body = { anthropic_version: 'bedrock-2023-05-31' };
  it.each([
    ['/model/anthropic.claude-sonnet-4-20250514-v1:0/invoke', 'anthropic.claude-sonnet-4-20250514-v1:0'],
    ['/model/us.anthropic.claude-sonnet-4-20250514-v1%3A0/invoke', 'us.anthropic.claude-sonnet-4-20250514-v1:0'],
    ['/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.anthropic.claude-x/invoke', 'eu.anthropic.claude-x'],
    ['/model/arn:aws:bedrock:eu-west-1::foundation-model%2Fanthropic.claude-x/invoke', 'anthropic.claude-x'],
  ])('%s names %s', (path, model) => {
    expect(anthropicMessages.readRequest(body, path).model).toBe(model);
  });
});

describe('a response', () => {
  it('counts all input, what was read from a cache and what was written to one', () => {
    expect(anthropicMessages.readResponse(jsonOf('messages-response.json'))).toMatchObject({
      responseId: 'msg_01VkT8wq3ZrLm5XcB9nHdPy2',
      model: 'claude-sonnet-4-5-20250929',
      serviceTier: 'standard',
      finishReason: 'end_turn',
      usage: {
        promptTokens: 41 + 1200 + 2048,
        completionTokens: 23,
        promptCacheReadTokens: 2048,
        promptCacheWriteTokens: 1200,
        promptCacheWriteHourTokens: 1000,
      },
    });
  });

  it('that is an error gives nothing but the identifier of the call', () => {
    expect(anthropicMessages.readResponse(jsonOf('messages-error.json'))).toMatchObject({
      responseId: 'req_011',
      model: '',
      usage: { promptTokens: null },
    });
  });

  it('says when it was served fast', () => {
    const usage = { input_tokens: 1, service_tier: 'standard', speed: 'fast' };
    expect(anthropicMessages.readResponse({ usage }).serviceTier).toBe('fast');
  });

  it('counts what a compaction took beside the answer, which the counts above it leave out', () => {
    const answer = { input_tokens: 23_000, output_tokens: 1000, cache_read_input_tokens: 500 };
    const usage = {
      ...answer,
      iterations: [
        { type: 'compaction', input_tokens: 180_000, output_tokens: 3500, cache_read_input_tokens: 7 },
        { type: 'message', ...answer },
      ],
    };
    expect(anthropicMessages.readResponse({ usage }).usage).toMatchObject({
      promptTokens: 203_507,
      completionTokens: 4500,
      promptCacheReadTokens: 507,
      promptCacheWriteTokens: null,
    });
  });

  it('has the advice of another model at its own price, and of its own passes each', () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 500,
      cache_read_input_tokens: 100,
      iterations: [
        { type: 'message', input_tokens: 10, output_tokens: 200, cache_read_input_tokens: 100 },
        { type: 'advisor_message', model: 'claude-opus-4-7', input_tokens: 3000, output_tokens: 700 },
        { type: 'message', input_tokens: 20, output_tokens: 300, cache_read_input_tokens: 1000 },
      ],
    };
    const fields = anthropicMessages.readResponse({ model: 'claude-sonnet-4-6', usage });
    expect(fields.usage).toMatchObject({ promptTokens: 4130, completionTokens: 1200, promptCacheReadTokens: 1100, raw: usage });
    expect(fields.bills).toMatchObject([
      { model: '', usage: { promptTokens: 1130, completionTokens: 500, promptCacheReadTokens: 1100 } },
      { model: 'claude-opus-4-7', usage: { promptTokens: 3000, completionTokens: 700 } },
    ]);
  });

  it('has what a model wrote before another one took over at its own price; where it wrote nothing, nothing', () => {
    const answered = { input_tokens: 2, output_tokens: 900, cache_read_input_tokens: 50 };
    const replaced = { type: 'message', model: 'claude-fable-5', input_tokens: 2, output_tokens: 80, cache_creation_input_tokens: 40 };
    const readWith = (attempt: object) =>
      anthropicMessages.readResponse({
        model: 'claude-opus-4-8',
        usage: { ...answered, iterations: [attempt, { type: 'fallback_message', model: 'claude-opus-4-8', ...answered }] },
      });
    expect(readWith(replaced)).toMatchObject({
      usage: { promptTokens: 94, completionTokens: 980 },
      bills: [
        { model: '', usage: { promptTokens: 52, completionTokens: 900 } },
        { model: 'claude-fable-5', usage: { promptTokens: 42, completionTokens: 80, promptCacheWriteTokens: 40 } },
      ],
    });
    const { usage, bills } = readWith({ ...replaced, output_tokens: 0 });
    expect(usage).toMatchObject({ promptTokens: 52, completionTokens: 900 });
    expect(bills).toBeUndefined();
  });

  it('adds up what each other model did, however often, and names a few of many', () => {
    const models = ['a', 'b', 'a', ...Array.from({ length: 20 }, (_, index) => `m${index}`)];
    const usage = { input_tokens: 1, output_tokens: 1, iterations: models.map(advice) };
    const { bills = [] } = anthropicMessages.readResponse({ model: 'x', usage });
    expect(bills.slice(0, 3)).toMatchObject([
      { model: '' },
      { model: 'a', usage: { promptTokens: 2, completionTokens: 4 } },
      { model: 'b' },
    ]);
    expect(bills).toHaveLength(10);
    expect(bills.at(-1)).toMatchObject({ model: 'another model', usage: { promptTokens: 14 } });
  });

  it('of very many passes is read; a list that is looked through for each would run into the time limit', () => {
    const iterations: unknown[] = [];
    for (let index = 0; index < 1_000_000; index += 1) iterations.push(advice('a'), 0);
    expect(anthropicMessages.readResponse({ model: 'x', usage: { input_tokens: 1, iterations } }).bills).toHaveLength(2);
  });

  it('keeps for an hour also what a stream tells at its end alone to have been written', () => {
    const cacheCreation = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1000 };
    const usage = { input_tokens: 10, cache_creation_input_tokens: 9000, cache_creation: cacheCreation };
    expect(anthropicMessages.readResponse({ usage }).usage).toMatchObject({
      promptCacheWriteTokens: 9000,
      promptCacheWriteHourTokens: 9000,
    });
  });

  it('has the cost that a router states', () => {
    expect(anthropicMessages.readResponse({ usage: { input_tokens: 10, output_tokens: 20, cost: 0.000_42 } }).providerCost).toBe(
      420_000_000n,
    );
  });

  it('may tell what it wrote to a cache by its parts alone', () => {
    const usage = { input_tokens: 1, cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 } };
    expect(anthropicMessages.readResponse({ usage }).usage).toMatchObject({ promptTokens: 6, promptCacheWriteTokens: 5 });
  });
});

describe('a stream', () => {
  it('becomes the message, block by block', () => {
    expect(assemble('messages-stream-tools.sse')).toEqual({
      body: {
        id: 'msg_01Tq',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5-20250929',
        content: [
          { type: 'thinking', thinking: 'Two ports, two calls.', signature: 'EqQBCg==' },
          { type: 'text', text: 'I look it up.' },
          { type: 'tool_use', id: 'toolu_01A', name: 'timetable', input: { port: 'Malmö' } },
          { type: 'tool_use', id: 'toolu_01B', name: 'now', input: {} },
        ],
        stop_reason: 'tool_use',
        stop_sequence: null,
        usage: {
          input_tokens: 530,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
          cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
          output_tokens: 88,
          service_tier: 'standard',
          output_tokens_details: { thinking_tokens: 31 },
          server_tool_use: { web_search_requests: 1 },
        },
      },
      isComplete: true,
      understood: true,
    });
    expect(anthropicMessages.readResponse(assemble('messages-stream-tools.sse').body).usage).toMatchObject({
      promptTokens: 530,
      completionTokens: 88,
      reasoningTokens: 31,
    });
  });

  it('whose beginning holds the whole message is that message, with its calls of tools and the counts that it says', () => {
    const { body, isComplete } = assemble('messages-stream-whole.sse');
    expect(isComplete).toBe(true);
    expect(body).toMatchObject({
      content: [
        { type: 'code_execution_tool_result' },
        { type: 'text' },
        { type: 'tool_use', name: 'timetable', input: { port: 'Malmö' } },
      ],
      stop_reason: 'tool_use',
    });
    expect(anthropicMessages.readResponse(body)).toMatchObject({
      completionText: 'I ask for the next one.',
      finishReason: 'tool_use',
      usage: { promptTokens: 0, completionTokens: 0, raw: { input_tokens: 0, output_tokens: 0 } },
    });
  });

  it('keeps citations with their text, whose blocks continue one sentence', () => {
    const { body } = assemble('messages-stream-citations.sse');
    expect(body).toMatchObject({ content: [{ text: 'It leaves at ' }, { text: '6:20.', citations: [{ cited_text: '06:20' }] }] });
    expect(anthropicMessages.readResponse(body)).toMatchObject({ completionText: 'It leaves at 6:20.', finishReason: 'max_tokens' });
  });

  it('keeps an error from its middle beside the text, and does not take the first count of the output for the whole', () => {
    const { body, isComplete } = assemble('messages-stream-error.sse');
    expect(isComplete).toBe(false);
    expect(body).toMatchObject({ content: [{ text: 'The harb' }], error: { type: 'overloaded_error' } });
    expect(anthropicMessages.readResponse(body).usage).toMatchObject({ promptTokens: 512, completionTokens: null });
  });

  it('keeps what a compaction has made of the conversation', () => {
    const { body } = assembleEvents(
      { type: 'message_start', message: { id: 'm', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'compaction', content: null } },
      { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content: 'What ', encrypted_content: 'a' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content: 'was said.', encrypted_content: 'b' } },
      { type: 'message_stop' },
    );
    expect(body).toMatchObject({ content: [{ type: 'compaction', content: 'What was said.', encrypted_content: 'b' }] });
  });

  it('in which another model takes over is of that model, and its cache is not that of the first', () => {
    const { body } = assembleEvents(
      {
        type: 'message_start',
        message: {
          id: 'm',
          model: 'claude-fable-5',
          content: [],
          usage: { input_tokens: 5, cache_creation_input_tokens: 7, cache_creation: { ephemeral_1h_input_tokens: 7 } },
        },
      },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'fallback', from: { model: 'claude-fable-5' }, to: { model: 'claude-opus-4-8' } },
      },
      { type: 'message_delta', delta: {}, usage: { output_tokens: 9, cache_creation_input_tokens: 0 } },
      { type: 'message_stop' },
    );
    expect(body).toMatchObject({ model: 'claude-opus-4-8', usage: { input_tokens: 5, cache_creation_input_tokens: 0, output_tokens: 9 } });
    expect(body).not.toHaveProperty('usage.cache_creation');
  });

  it('that is nothing but an error is that error', () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' };
    expect(assembleEvents({ type: 'error', error })).toEqual({ body: { type: 'error', error }, isComplete: false, understood: true });
  });

  it('keeps the input of a tool as text where it broke off', () => {
    const { body } = assembleEvents(toolStart, {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"a' },
    });
    expect(body).toMatchObject({ content: [{ input: '{"a' }] });
  });

  it('is not read behind its end, and tolerates events that it does not know', () => {
    const text = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'late' } };
    const start = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'a' } };
    expect(assembleEvents(start, { type: 'of_next_year' }, { type: 'message_stop' }, text)).toMatchObject({
      body: { content: [{ type: 'text', text: 'a' }] },
      isComplete: true,
    });
  });
});

describe('a stream of many names', () => {
  it('is read in a time that grows with its length', () => {
    const events = Array.from({ length: 20_000 }, (_, index) => ({
      type: 'message_delta',
      delta: { [`d${index}`]: index },
      usage: { [`u${index}`]: index },
    }));
    expect(assembleEvents(...events)).toMatchObject({ body: { d0: 0, d19999: 19_999, usage: { u19999: 19_999 } } });
  });
});

describe('the texts of which tokens were made', () => {
  it('are those of the system, the messages, tools and their results, and all that was written', () => {
    const texts = anthropicMessages.readTokenTexts?.(jsonOf('messages-request.json'), assemble('messages-stream-tools.sse').body);
    expect(texts?.prompt).toMatch(/timetable of the harbour[^]*"port":"Malmö"[^]*06:20, 07:40[^]*Departures of one port/);
    expect(texts?.completion).toMatch(/Two ports[^]*I look it up[^]*Malmö/);
  });
});
