import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../model/text.ts';
import { describeWireFormat } from '../testing/contract-suite.ts';
import type { AssembledStream } from '../format/provider.ts';
import { readServerSentEvents } from '../format/sse.ts';
import { cohereChat } from './chat.ts';

const recordings = new URL('./__fixtures__/', import.meta.url);
const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, recordings)));
const jsonOf = (name: string): unknown => parseJson(new TextDecoder().decode(bytesOf(name)));
const assemble = (name: string): AssembledStream => cohereChat.assembleStream(readServerSentEvents([bytesOf(name)]));
const assembleEvents = (...events: readonly object[]): AssembledStream =>
  cohereChat.assembleStream(events.map((event) => ({ event: 'message', data: JSON.stringify(event) })));

const textDelta = (text: string, rest: object = {}): object => ({
  type: 'content-delta',
  index: 0,
  delta: { message: { content: { text } }, ...rest },
});
const logprobs = (text: string): object => ({ text, token_ids: [1], logprobs: [-0.5] });

describeWireFormat(cohereChat, {
  folder: recordings,
  prefix: 'chat-',
  lacks: { user: 'the format has no place for an end user' },
});

describe('a request', () => {
  it('gives the model, all texts, and what the user said last', () => {
    const lastUserText = 'When does the first ferry leave?\nThe photo shows the pier. 🛳️';
    expect(cohereChat.readRequest(jsonOf('chat-request.json'), '/v2/chat')).toEqual({
      model: 'command-a-03-2025',
      user: '',
      promptText: ['You know the timetable of the harbour.', 'Good morning.', 'Good morning. Where to?', lastUserText].join('\n'),
      firstUserText: 'Good morning.',
      lastUserText,
    });
  });
});

describe('a response', () => {
  it('counts what is billed, not what the model saw', () => {
    expect(cohereChat.readResponse(jsonOf('chat-response.json'))).toMatchObject({
      responseId: 'b7e1c2f4-5a06-4d3b-9c8e-2f1d0a9b8c7d',
      model: '',
      finishReason: 'COMPLETE',
      usage: { promptTokens: 118, completionTokens: 21, promptCacheReadTokens: 96, raw: { tokens: { input_tokens: 1830 } } },
    });
  });

  it.each([
    ['what the model saw where nothing is said of a bill', { tokens: { input_tokens: 9, output_tokens: 8 } }, [9, 8, null]],
    ['each side by itself', { billed_units: { output_tokens: 5 }, tokens: { input_tokens: 9, output_tokens: 8 } }, [9, 5, null]],
    ['nothing for nothing', { billed_units: { input_tokens: 0, output_tokens: 0 }, tokens: { input_tokens: 9 } }, [0, 0, null]],
    ['what came from a cache as it is said', { billed_units: { input_tokens: 7 }, cached_tokens: 448 }, [7, null, 448]],
    ['what is billed by other units as no tokens', { billed_units: { search_units: 1 } }, [null, null, null]],
  ])('counts %s', (_name, usage, [prompt, completion, cached]) => {
    expect(cohereChat.readResponse({ usage }).usage).toMatchObject({
      promptTokens: prompt,
      completionTokens: completion,
      promptCacheReadTokens: cached,
    });
  });

  it('counts what was thought', () => {
    const usage = {
      billed_units: { input_tokens: 7, output_tokens: 190 },
      tokens: { input_tokens: 90, output_tokens: 195, reasoning_tokens: 145 },
    };
    expect(cohereChat.readResponse({ usage }).usage).toMatchObject({ completionTokens: 190, reasoningTokens: 145 });
  });

  it('that is an error has an identifier and nothing else', () => {
    expect(cohereChat.readResponse(jsonOf('chat-error.json'))).toMatchObject({
      responseId: '8f4d1e3b-6f0a-4a53-8f7e-0b4b5b0f2d11',
      completionText: '',
      usage: { promptTokens: null },
    });
  });
});

describe('a stream', () => {
  it('becomes the answer that it would have been without streaming', () => {
    expect(assemble('chat-response.sse')).toEqual({ body: jsonOf('chat-response.json'), isComplete: true, understood: true });
  });

  it('has its thoughts, its plan and its calls of tools, each by its place', () => {
    expect(assemble('chat-stream-tools.sse').body).toEqual({
      id: '29f14a5a-11de-4cae-9800-25e4747408ea',
      message: {
        role: 'assistant',
        content: [{ type: 'thinking', thinking: 'Two ports, two calls.' }],
        tool_plan: 'I look it up.',
        tool_calls: [
          { id: 'timetable_a1', type: 'function', function: { name: 'timetable', arguments: '{"port":"Malmö"}' } },
          { id: 'now_b2', type: 'function', function: { name: 'now', arguments: '{}' } },
        ],
      },
      finish_reason: 'TOOL_CALL',
      usage: { billed_units: { input_tokens: 37, output_tokens: 28 }, tokens: { input_tokens: 913, output_tokens: 83 } },
    });
  });

  it('may end in an error', () => {
    const start = { type: 'message-start', id: 'a', delta: { message: { role: 'assistant' } } };
    const end = { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'the model is overloaded' } };
    expect(assembleEvents(start, end)).toEqual({
      body: { id: 'a', message: { role: 'assistant' }, finish_reason: 'ERROR', error: 'the model is overloaded' },
      isComplete: true,
      understood: true,
    });
  });

  it('keeps the probabilities of its tokens in their order', () => {
    expect(assembleEvents(textDelta('a', { logprobs: logprobs('a') }), textDelta('b', { logprobs: logprobs('b') })).body).toEqual({
      message: { content: [{ text: 'ab' }] },
      logprobs: [logprobs('a'), logprobs('b')],
    });
  });

  it('is not read behind its end, and tolerates events that it does not know', () => {
    const end = { type: 'message-end', delta: { finish_reason: 'COMPLETE' } };
    expect(assembleEvents(textDelta('a'), { type: 'debug', prompt: 'x' }, end, textDelta('late')).body).toEqual({
      message: { content: [{ text: 'a' }] },
      finish_reason: 'COMPLETE',
    });
  });
});

describe('the texts of which tokens were made', () => {
  it('are those of the messages, documents, tools and their results, and all that was written', () => {
    const texts = cohereChat.readTokenTexts?.(jsonOf('chat-request.json'), assemble('chat-stream-tools.sse').body);
    expect(texts?.prompt).toMatch(
      /timetable of the harbour[^]*I look at[^]*Malmö[^]*06:20, 07:40[^]*is cancelled[^]*Departures of one port/,
    );
    expect(texts?.completion).toMatch(/Two ports[^]*I look it up[^]*Malmö/);
  });
});
