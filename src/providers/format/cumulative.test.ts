import { describe, expect, it } from 'vitest';
import { bedrockConverse } from '../amazon/converse.ts';
import { anthropicMessages } from '../anthropic/messages.ts';
import { cohereChat } from '../cohere/chat.ts';
import { cumulativeCounts } from './cumulative.ts';
import { geminiGenerateContent } from '../google/generate-content.ts';
import { geminiInteractions } from '../google/interactions.ts';
import { ollamaChat } from '../ollama/chat.ts';
import { openAiChat } from '../openai/chat.ts';
import { openAiCompletions } from '../openai/completions.ts';
import { openAiResponses } from '../openai/responses.ts';
import type { WireFormat } from './provider.ts';

type Stream = readonly [format: WireFormat, events: readonly object[]];

/** The counts of a stream of every maker that states them, and at its end states them again as 0. */
const streams: readonly Stream[] = [
  [
    openAiChat,
    [
      {
        choices: [{ index: 0, delta: { content: 'Hi' } }],
        usage: { prompt_tokens: 900, completion_tokens: 40, prompt_tokens_details: { cached_tokens: 300 } },
      },
      { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } } },
    ],
  ],
  [
    openAiCompletions,
    [
      {
        choices: [{ index: 0, text: 'Hi' }],
        usage: { prompt_tokens: 900, completion_tokens: 40, prompt_tokens_details: { cached_tokens: 300 } },
      },
      { choices: [], usage: { prompt_tokens: 900, completion_tokens: 0 } },
    ],
  ],
  [
    openAiResponses,
    ['response.in_progress', 'response.completed'].map((type, index) => ({
      type,
      response: {
        id: 'r',
        output: [],
        usage: {
          input_tokens: 900 * (1 - index),
          output_tokens: 40 * (1 - index),
          input_tokens_details: { cached_tokens: 300 * (1 - index) },
        },
      },
    })),
  ],
  [
    // Reported of servers that speak Anthropic's format: the input is in the first event, and 0 in the last.
    anthropicMessages,
    [
      { type: 'message_start', message: { id: 'm', usage: { input_tokens: 600, cache_read_input_tokens: 300, output_tokens: 1 } } },
      { type: 'message_delta', delta: {}, usage: { input_tokens: 600, output_tokens: 40 } },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
      },
      { type: 'message_stop' },
    ],
  ],
  [
    geminiGenerateContent,
    [
      {
        candidates: [{ content: { parts: [{ text: 'Hi' }] } }],
        usageMetadata: { promptTokenCount: 900, candidatesTokenCount: 40, cachedContentTokenCount: 300 },
      },
      {
        candidates: [{ finishReason: 'STOP' }],
        usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, cachedContentTokenCount: 0, totalTokenCount: 0 },
      },
    ],
  ],
  [
    geminiInteractions,
    [
      {
        event_type: 'interaction.created',
        interaction: { id: 'i', usage: { total_input_tokens: 900, total_output_tokens: 40, total_cached_tokens: 300 } },
      },
      {
        event_type: 'interaction.completed',
        interaction: { id: 'i', usage: { total_input_tokens: 0, total_output_tokens: 0, total_cached_tokens: 0 } },
      },
    ],
  ],
  [
    cohereChat,
    [
      { type: 'message-start', id: 'c', delta: { usage: {}, message: { role: 'assistant' } } },
      {
        type: 'message-end',
        delta: {
          finish_reason: 'COMPLETE',
          usage: {
            tokens: { input_tokens: 900, output_tokens: 40 },
            billed_units: { input_tokens: 900, output_tokens: 40 },
            cached_tokens: 300,
          },
        },
      },
    ],
  ],
];

describe('the counts of a stream never fall', () => {
  it.each(streams.map(([format, events]) => ({ format, events, name: format.name })))('of $name', ({ format, events }) => {
    const sent = events.map((event) => ({ event: 'message', data: JSON.stringify(event) }));
    expect(format.readResponse(format.assembleStream(sent).body).usage).toMatchObject({
      promptTokens: 900,
      completionTokens: 40,
      promptCacheReadTokens: 300,
    });
  });

  it('of amazon.converse', () => {
    const [usage, none] = [
      { inputTokens: 600, outputTokens: 40, cacheReadInputTokens: 300 },
      { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0 },
    ];
    const events = [{ usage }, { usage: none }].map((data) => ({ event: 'metadata', data: JSON.stringify(data) }));
    const stop = { event: 'messageStop', data: '{"stopReason":"end_turn"}' };
    expect(bedrockConverse.readResponse(bedrockConverse.assembleStream([...events, stop]).body).usage).toMatchObject({
      promptTokens: 900,
      completionTokens: 40,
    });
  });

  it('of ollama.chat', () => {
    const lines = [
      { model: 'm', message: { content: 'Hi' }, done: false, prompt_eval_count: 900, eval_count: 40 },
      { model: 'm', message: { content: '' }, done: true, prompt_eval_count: 0, eval_count: 0 },
    ];
    const assembled = ollamaChat.assembleList?.(lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(ollamaChat.readResponse(assembled?.body).usage).toMatchObject({ promptTokens: 900, completionTokens: 40 });
  });
});

/** Counts far deeper than any usage has them. */
const deep = (count: number): unknown => Array.from({ length: 10_000 }).reduce((inner: unknown) => ({ inner }), { count });

describe('cumulativeCounts', () => {
  it('takes the highest of each count, the last of everything else, and nothing from what is not there', () => {
    const values = [{ a: 3, tier: 'x', details: { b: 2 } }, null, { a: 1, tier: 'y', details: { b: 5, c: 0 }, extra: null }];
    expect(cumulativeCounts(values)).toEqual({ a: 3, tier: 'y', details: { b: 5, c: 0 } });
    expect(cumulativeCounts([null, null])).toBeNull();
    expect(cumulativeCounts(['', { a: 1 }])).toEqual({ a: 1 });
  });

  it('does not go deeper than any usage is', () => {
    expect(() => cumulativeCounts([deep(2), deep(1)])).not.toThrow();
  });
});
