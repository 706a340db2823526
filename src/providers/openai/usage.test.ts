import { describe, expect, it } from 'vitest';
import { moneyText } from '../../model/pricing/money.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { readStatedCost } from '../format/stated-cost.ts';
import { openAiChat } from './chat.ts';
import { readInputOutputUsage, readOpenAiUsage } from './usage.ts';

describe('readOpenAiUsage', () => {
  it('reads every count and keeps the object itself', () => {
    const raw = {
      prompt_tokens: 2048,
      completion_tokens: 412,
      total_tokens: 2460,
      prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 32, cache_write_tokens: 256 },
      completion_tokens_details: { reasoning_tokens: 384, audio_tokens: 8, accepted_prediction_tokens: 5 },
    };
    const usage = readOpenAiUsage(raw);
    expect(usage).toEqual({
      ...unreportedUsage,
      promptTokens: 2048,
      completionTokens: 412,
      promptCacheReadTokens: 1024,
      promptCacheWriteTokens: 256,
      promptAudioTokens: 32,
      completionAudioTokens: 8,
      reasoningTokens: 384,
      estimated: false,
      raw,
    });
    expect(usage.raw).toBe(raw);
  });

  it('adds reasoning that is more than the completion, which therefore does not hold it', () => {
    const raw = { prompt_tokens: 1001, completion_tokens: 2373, total_tokens: 3374, reasoning_tokens: 220_303 };
    expect(readOpenAiUsage(raw)).toMatchObject({ promptTokens: 1001, completionTokens: 222_676, reasoningTokens: 220_303 });
    const counted = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115, completion_tokens_details: { reasoning_tokens: 100 } };
    expect(readOpenAiUsage(counted)).toMatchObject({ promptTokens: 10, completionTokens: 105, reasoningTokens: 100 });
  });

  it('has no room for reasoning that is more than the completion where the total has none', () => {
    const details = { reasoning_tokens: 11 };
    const raw = { prompt_tokens: 43, completion_tokens: 10, total_tokens: 53, completion_tokens_details: details };
    expect(readOpenAiUsage(raw)).toMatchObject({ promptTokens: 43, completionTokens: 10, reasoningTokens: 11 });
    const withoutTotal = { prompt_tokens: 43, completion_tokens: 10, completion_tokens_details: details };
    expect(readOpenAiUsage(withoutTotal)).toMatchObject({ completionTokens: 21 });
  });

  it('keeps absent apart from zero', () => {
    expect(readOpenAiUsage({ prompt_tokens: 0, prompt_tokens_details: { cached_tokens: 0 } })).toMatchObject({
      promptTokens: 0,
      completionTokens: null,
      promptCacheReadTokens: 0,
      promptCacheWriteTokens: null,
      reasoningTokens: null,
    });
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '12', true, null, [3], {}])('takes %s for no count', (value) => {
    expect(readOpenAiUsage({ prompt_tokens: value, prompt_tokens_details: value })).toMatchObject({ promptTokens: null });
  });

  it.each([undefined, null, 'none', 3, []])('reports nothing for %j', (value) => {
    expect(readOpenAiUsage(value)).toEqual(unreportedUsage);
  });
});

describe('output that stands in the total alone', () => {
  it.each([
    { case: 'and among the details', details: { reasoning_tokens: 94 }, reasoning: 94 },
    { case: 'only', details: null, reasoning: 94 },
  ])('$case is output, and reasoning', ({ details, reasoning }) => {
    const usage = { prompt_tokens: 32, completion_tokens: 9, total_tokens: 135, completion_tokens_details: details };
    expect(readOpenAiUsage(usage)).toMatchObject({ promptTokens: 32, completionTokens: 103, reasoningTokens: reasoning });
  });

  it.each([[41], [40], [null], ['99']])('is none in a total of %j', (total) => {
    expect(readOpenAiUsage({ prompt_tokens: 32, completion_tokens: 9, total_tokens: total })).toMatchObject({
      completionTokens: 9,
      reasoningTokens: null,
    });
  });
});

describe('a recording in a prompt, as Mistral counts it', () => {
  const raw = { prompt_audio_seconds: 203, prompt_tokens: 4, completion_tokens: 635, total_tokens: 3264 };

  it('is input, by the tokens that stand in the total alone, and by its seconds', () => {
    expect(readOpenAiUsage(raw)).toEqual({
      ...unreportedUsage,
      promptTokens: 2629,
      promptAudioTokens: 2625,
      completionTokens: 635,
      audioSeconds: 203,
      raw,
    });
  });

  it('is none without its seconds', () => {
    expect(readOpenAiUsage({ ...raw, prompt_audio_seconds: null })).toMatchObject({
      promptTokens: 4,
      completionTokens: 3260,
      audioSeconds: null,
    });
  });
});

describe('what was read from a cache', () => {
  it.each([{ prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }, { cached_tokens: 64 }, { num_cached_tokens: 64 }])(
    'is also found in %j',
    (own) => {
      expect(readOpenAiUsage({ prompt_tokens: 100, completion_tokens: 1, ...own }).promptCacheReadTokens).toBe(64);
    },
  );
});

describe('searches that Perplexity counts', () => {
  it('are searches of the web', () => {
    expect(readOpenAiUsage({ prompt_tokens: 1, completion_tokens: 1, num_search_queries: 18 }).webSearches).toBe(18);
  });
});

describe('readInputOutputUsage', () => {
  it.each([
    { seconds: 7.2, billed: 8 },
    { seconds: 9, billed: 9 },
    { seconds: -1, billed: null },
    { seconds: 1e9, billed: null },
    { seconds: '9', billed: null },
  ])('reads $seconds seconds as $billed', ({ seconds, billed }) => {
    expect(readInputOutputUsage({ type: 'duration', seconds })).toMatchObject({ audioSeconds: billed, promptTokens: null });
  });

  it('reports nothing for what is no object', () => {
    expect(readInputOutputUsage(3)).toEqual(unreportedUsage);
  });
});

describe('readStatedCost', () => {
  it.each([
    [{ cost: 0.00014 }, '0.000140000000'],
    [{ cost: { input_tokens_cost: 0.001, request_cost: 0.005, total_cost: 0.006 } }, '0.006000000000'],
    [{ estimated_cost: 0.0000268 }, '0.000026800000'],
    [{ cost: 0.0005, is_byok: true, cost_details: { upstream_inference_cost: 0.01 } }, '0.010500000000'],
    [{ cost: 0.0005, is_byok: false, cost_details: { upstream_inference_cost: 0.01 } }, '0.000500000000'],
    [{ cost_in_usd_ticks: 37_756_000 }, '0.003775600000'],
  ])('reads the dollars of %j exactly', (usage, expected) => {
    const cost = readStatedCost(usage);
    expect(cost === null ? null : moneyText(cost)).toBe(expected);
  });

  it.each([
    { cost_in_usd_ticks: 0, prompt_tokens: 205, completion_tokens: 18 },
    { cost: 0, input_tokens: 5 },
    { estimated_cost: 0, total_tokens: 5 },
  ])('takes the 0 of %j, beside tokens, for no statement', (usage) => {
    expect(readStatedCost(usage)).toBeNull();
  });

  it('takes a 0 for one where there are no tokens, or the model is free by its name', () => {
    expect(readStatedCost({ cost: 0, prompt_tokens: 0 })).toBe(0n);
    expect(readStatedCost({ cost: 0, prompt_tokens: 9 }, 'deepseek/deepseek-r1:free')).toBe(0n);
  });

  it.each([{}, { cost: '1' }, { cost: -1 }, { cost: Number.NaN }, { cost: { total_cost: '1' } }, null])('finds none in %j', (usage) => {
    expect(readStatedCost(usage)).toBeNull();
  });
});

/** Usage as counts, of a chat whose chunks are given. */
const streamed = (...chunks: readonly object[]) => {
  const events = chunks.map((chunk) => ({ event: 'message', data: JSON.stringify({ choices: [], ...chunk }) }));
  return openAiChat.readResponse(openAiChat.assembleStream(events).body).usage;
};
const choice = (given: object) => ({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', ...given }] });
const counted = { prompt_tokens: 1336, completion_tokens: 31, total_tokens: 1367 };
const counts = { promptTokens: 1336, completionTokens: 31 };

describe('the usage of a chat is read', () => {
  it('in the last choice of a stream, where Moonshot puts it (@ai-sdk/moonshotai: `choices[].usage`)', () => {
    expect(streamed(choice({ usage: { ...counted, cached_tokens: 1280 } }))).toMatchObject({ ...counts, promptCacheReadTokens: 1280 });
  });

  it('in a choice of a response that is no stream, and in its message', () => {
    expect(openAiChat.readResponse(choice({ usage: counted })).usage).toMatchObject(counts);
    expect(openAiChat.readResponse(choice({ message: { usage: counted } })).usage).toMatchObject(counts);
    expect(streamed(choice({ delta: { usage: counted } }))).toMatchObject(counts);
  });

  it('in the choice, where the one beside it has nothing or zeros', () => {
    const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
    expect(streamed(choice({ usage: counted }), { usage: zeros })).toMatchObject(counts);
    expect(streamed(choice({ usage: counted }), { usage: {} })).toMatchObject(counts);
    expect(streamed(choice({ usage: zeros }), { usage: counted })).toMatchObject(counts);
  });

  it('in `x_groq` (groq-sdk: ChatCompletionChunk.XGroq), but not what is no count of tokens there', () => {
    expect(streamed({ x_groq: { id: 'req', usage: counted } })).toMatchObject(counts);
    expect(streamed({ x_groq: { usage: { dram_cached_tokens: 9 } }, usage: counted })).toMatchObject({
      ...counts,
      promptCacheReadTokens: null,
    });
  });

  it("from the timings of llama.cpp's server that was asked for no usage (its README: the context is prompt_n + cache_n + predicted_n)", () => {
    const timings = { cache_n: 236, prompt_n: 1, prompt_ms: 30.958, predicted_n: 35, predicted_ms: 661.064 };
    expect(streamed({ timings })).toMatchObject({ promptTokens: 237, completionTokens: 35, promptCacheReadTokens: 236 });
    expect(streamed({ timings, usage: counted })).toMatchObject({ ...counts, promptCacheReadTokens: null });
  });

  it("with Alibaba's name for cache writes (Model Studio, context cache)", () => {
    const usage = { ...counted, prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 1200 } };
    expect(streamed({ usage })).toMatchObject({ ...counts, promptCacheWriteTokens: 1200 });
  });
});
