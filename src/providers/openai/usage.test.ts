import { describe, expect, it } from 'vitest';
import { moneyText } from '../../model/money.ts';
import { unreportedUsage } from '../../model/usage.ts';
import { readOpenAiUsage, readStatedCost } from './usage.ts';

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

describe('readStatedCost', () => {
  it('reads dollars exactly', () => {
    const cost = readStatedCost({ cost: 0.00014 });
    expect(cost === null ? null : moneyText(cost)).toBe('0.000140000000');
  });

  it.each([{}, { cost: '1' }, { cost: -1 }, { cost: Number.NaN }, { cost: { total_cost: 1 } }, null])('finds none in %j', (usage) => {
    expect(readStatedCost(usage)).toBeNull();
  });
});
