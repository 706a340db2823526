import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../model/text.ts';
import { describeWireFormat } from '../testing/contract-suite.ts';
import type { AssembledStream } from '../format/provider.ts';
import { readServerSentEvents } from '../format/sse.ts';
import { bedrockConverse } from './converse.ts';
import { readAmazonEvents } from './event-stream.ts';
import { encodeAmazonEvents } from './testing/encode-events.ts';

const recordings = new URL('./__fixtures__/', import.meta.url);
const bytesOf = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, recordings)));
const jsonOf = (name: string): unknown => parseJson(new TextDecoder().decode(bytesOf(name)));
const assemble = (name: string): AssembledStream =>
  bedrockConverse.assembleStream(readAmazonEvents(encodeAmazonEvents(readServerSentEvents([bytesOf(name)]))).events);
const assembleEvents = (...events: readonly (readonly [event: string, data: object])[]): AssembledStream =>
  bedrockConverse.assembleStream(events.map(([event, data]) => ({ event, data: JSON.stringify(data) })));
const delta = (index: number, piece: object): readonly [string, object] => [
  'contentBlockDelta',
  { contentBlockIndex: index, delta: piece },
];
const path = '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse';

describeWireFormat(bedrockConverse, {
  folder: recordings,
  prefix: 'converse-',
  path,
  framing: 'amazon messages',
  lacks: { user: 'the format has no place for an end user' },
});

describe('a request', () => {
  it('gives the model of its path, all texts with the system first, and what the user said last', () => {
    const lastUserText = 'When does the first ferry leave?\nThe photo shows the pier. 🛳️';
    expect(bedrockConverse.readRequest(jsonOf('converse-request.json'), path)).toEqual({
      model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      user: '',
      promptText: ['You know the timetable of the harbour.', 'Good morning.', 'Good morning. Where to?', lastUserText].join('\n'),
      firstUserText: 'Good morning.',
      lastUserText,
    });
  });

  it.each([
    ['/model/amazon.nova-lite-v1:0/converse', 'amazon.nova-lite-v1:0'],
    ['/model/apac.amazon.nova-micro-v1%3A0/converse-stream', 'apac.amazon.nova-micro-v1:0'],
    ['/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Feu.amazon.nova-pro-v1%3A0/converse', 'eu.amazon.nova-pro-v1:0'],
    ['/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fa1b2c3/converse', 'a1b2c3'],
  ])('to %s is for %s', (called, model) => {
    expect(bedrockConverse.readRequest({}, called).model).toBe(model);
  });
});

describe('a response', () => {
  it('counts all input, what was read from a cache and what was written to one', () => {
    expect(bedrockConverse.readResponse(jsonOf('converse-response.json'))).toMatchObject({
      model: '',
      serviceTier: 'default',
      finishReason: 'end_turn',
      usage: {
        promptTokens: 41 + 1200 + 2048,
        completionTokens: 23,
        promptCacheReadTokens: 2048,
        promptCacheWriteTokens: 1200,
        promptCacheWriteHourTokens: 1000,
        raw: { totalTokens: 3312 },
      },
    });
  });

  it('of which no cache is told has nothing of one', () => {
    const usage = { inputTokens: 5, outputTokens: 6, totalTokens: 11 };
    expect(bedrockConverse.readResponse({ usage }).usage).toMatchObject({
      promptTokens: 5,
      promptCacheReadTokens: null,
      promptCacheWriteTokens: null,
      promptCacheWriteHourTokens: null,
    });
  });

  it('names its model where a router chose it', () => {
    const invokedModelId = 'arn:aws:bedrock:us-west-2::foundation-model/anthropic.claude-3-5-sonnet-20240620-v1:0';
    const response = { trace: { promptRouter: { invokedModelId } } };
    expect(bedrockConverse.readResponse(response).model).toBe('anthropic.claude-3-5-sonnet-20240620-v1:0');
  });

  it.each([
    [{ serviceTier: { type: 'flex' } }, 'flex'],
    [{ performanceConfig: { latency: 'standard' }, serviceTier: { type: 'default' } }, 'default'],
    [{ performanceConfig: { latency: 'optimized' }, serviceTier: { type: 'default' } }, 'optimized'],
    [{}, ''],
  ])('%j was served as %j', (response, tier) => {
    expect(bedrockConverse.readResponse(response).serviceTier).toBe(tier);
  });

  it('that is an error gives nothing', () => {
    expect(bedrockConverse.readResponse(jsonOf('converse-error.json'))).toMatchObject({ finishReason: '', usage: { promptTokens: null } });
  });
});

describe('a stream', () => {
  it('becomes the answer that it would have been without streaming', () => {
    expect(assemble('converse-response.sse')).toEqual({ body: jsonOf('converse-response.json'), isComplete: true, understood: true });
  });

  it('has the calls of tools, whose input is JSON again', () => {
    expect(assemble('converse-stream-tools.sse').body).toMatchObject({
      output: {
        message: {
          content: [
            { text: 'I look it up.' },
            { toolUse: { toolUseId: 'tooluse_01A', name: 'timetable', input: { port: 'Malmö' } } },
            { toolUse: { toolUseId: 'tooluse_01B', name: 'now', input: {} } },
          ],
        },
      },
      stopReason: 'tool_use',
    });
  });

  it('says why it stopped also behind what it took', () => {
    const { body, isComplete } = assemble('converse-stream-metadata-first.sse');
    expect({ body, isComplete }).toEqual({ body: assemble('converse-stream-tools.sse').body, isComplete: true });
    expect(bedrockConverse.readResponse(body)).toMatchObject({ finishReason: 'tool_use', usage: { promptTokens: 530 } });
  });

  it('keeps citations with their text, whose blocks continue one sentence', () => {
    const { body } = assemble('converse-stream-citations.sse');
    expect(body).toMatchObject({
      output: {
        message: {
          content: [{ text: 'It leaves at ' }, { citationsContent: { content: [{ text: '6:20.' }], citations: [{ title: 'Timetable' }] } }],
        },
      },
    });
    expect(bedrockConverse.readResponse(body)).toMatchObject({ completionText: 'It leaves at 6:20.', finishReason: 'max_tokens' });
  });

  it('keeps an exception from its middle beside the text', () => {
    const { body, isComplete } = assemble('converse-stream-error.sse');
    expect(isComplete).toBe(false);
    expect(body).toEqual({
      output: { message: { role: 'assistant', content: [{ text: 'The harb' }] } },
      error: {
        type: 'modelStreamErrorException',
        message: 'The model failed.',
        originalStatusCode: 529,
        originalMessage: 'Overloaded',
      },
    });
    expect(bedrockConverse.readResponse(body)).toMatchObject({ completionText: 'The harb', usage: { completionTokens: null } });
  });

  it('that is nothing but an exception is that one', () => {
    const error = { type: 'throttlingException', message: 'Too many requests.' };
    expect(assembleEvents(['error', { type: 'error', error }])).toEqual({ body: { error }, isComplete: false, understood: true });
  });

  it('has thoughts that may not be read as they came', () => {
    const { body } = assembleEvents(
      delta(0, { reasoningContent: { redactedContent: btoa('ab') } }),
      delta(0, { reasoningContent: { redactedContent: btoa('cd') } }),
    );
    expect(body).toMatchObject({ output: { message: { content: [{ reasoningContent: { redactedContent: btoa('abcd') } }] } } });
  });

  it('has what a tool of the provider found, its text in one piece', () => {
    const start = {
      contentBlockIndex: 0,
      start: { toolResult: { toolUseId: 't', type: 'nova_code_interpreter_result', status: 'success' } },
    };
    const { body } = assembleEvents(
      ['contentBlockStart', start],
      delta(0, { toolResult: [{ text: '4' }] }),
      delta(0, { toolResult: [{ text: '2' }, { json: { a: 1 } }] }),
    );
    const content = [{ text: '42' }, { json: { a: 1 } }];
    expect(body).toMatchObject({
      output: {
        message: { content: [{ toolResult: { toolUseId: 't', type: 'nova_code_interpreter_result', status: 'success', content } }] },
      },
    });
  });

  it('keeps the input of a tool as text where it broke off', () => {
    const start = { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't', name: 'n' } } };
    const { body } = assembleEvents(['contentBlockStart', start], delta(0, { toolUse: { input: '{"a' } }));
    expect(body).toMatchObject({ output: { message: { content: [{ toolUse: { input: '{"a' } }] } } });
  });

  it('is not read behind its end, and tolerates events that it does not know', () => {
    const stop = ['messageStop', { stopReason: 'end_turn' }] as const;
    const end = ['metadata', { usage: { inputTokens: 1 } }] as const;
    expect(assembleEvents(delta(0, { text: 'a' }), ['ofNextYear', {}], stop, end, delta(0, { text: 'late' })).body).toMatchObject({
      output: { message: { content: [{ text: 'a' }] } },
      usage: { inputTokens: 1 },
    });
  });
});

describe('the texts of which tokens were made', () => {
  it('are those of the system, the messages, tools and their results, and all that was written', () => {
    const texts = bedrockConverse.readTokenTexts?.(jsonOf('converse-request.json'), assemble('converse-stream-tools.sse').body);
    expect(texts?.prompt).toMatch(/timetable of the harbour[^]*"port":"Malmö"[^]*06:20[^]*Departures of one port/);
    expect(texts?.completion).toMatch(/I look it up[^]*timetable[^]*Malmö/);
    expect(bedrockConverse.readTokenTexts?.({}, jsonOf('converse-response.json')).completion).toMatch(/Tides first[^]*opens at six/);
  });
});
