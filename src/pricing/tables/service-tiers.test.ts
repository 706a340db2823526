import { describe, expect, it } from 'vitest';
import { parseMoney } from '../../model/pricing/money.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { priceUsage } from '../cost.ts';
import { listedPrices } from '../testing/prices.ts';

const usage = { ...unreportedUsage, promptTokens: 1_000_000, completionTokens: 0 };
const price = (providerId: string, model: string, serviceTier: string, day = '2026-05-20') =>
  priceUsage(usage, { provider: 'X', providerId, models: [model], at: Date.parse(day), serviceTier }, listedPrices);

describe('a tier', () => {
  it.each(['', 'auto', 'default', 'standard', 'SERVICE_TIER_STANDARD', 'on_demand', 'ON_DEMAND'])(
    'called "%s" is billed as the list says, wherever',
    (tier) => {
      expect(price('openai', 'gpt-5', tier)).toMatchObject({ amount: parseMoney('1.25'), reference: 'openai/gpt-5' });
      expect(price('google', 'gemini-2.5-pro', tier).amount).toBe(parseMoney('2.5'));
    },
  );

  it('of its own price names it in its reference, with the day from which it is known', () => {
    expect(price('openai', 'gpt-5', 'flex')).toMatchObject({
      amount: parseMoney('0.625'),
      reference: 'openai/gpt-5 (flex)',
      validFrom: '2025-04-17',
    });
    expect(price('openai', 'gpt-5.4', 'priority')).toMatchObject({ validFrom: '2026-03-05', reference: 'openai/gpt-5.4 (priority)' });
  });

  it.each(['flex', 'priority'])('called %s changes no fee of a search', (serviceTier) => {
    const query = { provider: 'X', providerId: 'openai', models: ['gpt-5'], at: Date.parse('2026-05-20'), serviceTier };
    const { lines } = priceUsage({ ...unreportedUsage, promptTokens: 1, webSearches: 1, fileSearches: 1 }, query, listedPrices);
    expect(lines.slice(1).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['web_search', parseMoney('0.01')],
      ['file_search', parseMoney('0.0025')],
    ]);
  });

  it.each([
    ['openai', 'gpt-5-pro', 'priority', 'for a model that is not offered at it'],
    ['openai', 'gpt-5', 'scale', 'which is paid for as capacity'],
    ['anthropic', 'claude-sonnet-4-5', 'priority', 'which is a matter of contract'],
    ['google', 'gemini-2.5-pro', 'priority', 'whose prices no list has for every model'],
    ['google', 'gemini-2.5-pro', 'PROVISIONED_THROUGHPUT', 'which is paid for as capacity'],
    ['azure', 'gpt-5', 'priority', 'of which we have no list'],
    ['openai', 'gpt-4o', 'of-next-year', 'that nobody knows'],
  ])('of %s for %s called %s, %s, has no price rather than a wrong one', (providerId, model, tier) => {
    expect(price(providerId, model, tier)).toMatchObject({ amount: null, source: 'none' });
  });

  it('has no price before the day from which it is known', () => {
    expect(price('openai', 'gpt-5.6-terra', 'fast', '2026-07-29').amount).toBeNull();
    expect(price('openai', 'gpt-5.6-terra', 'fast', '2026-07-30').amount).toBe(parseMoney('4'));
  });

  it.each([
    ['groq', 'llama-3.3-70b-versatile', 'flex', '0.59'],
    ['together', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', 'priority', '0.88'],
    ['echo', 'echo-1', 'flex', '1'],
  ])('at %s is a matter of speed and not of money', (providerId, model, tier, usd) => {
    expect(price(providerId, model, tier).amount).toBe(parseMoney(usd));
  });
});

describe('a cache that is written for an hour', () => {
  const written = { ...unreportedUsage, promptTokens: 1_000_000, promptCacheWriteTokens: 1_000_000, promptCacheWriteHourTokens: 1_000_000 };
  const cost = (providerId: string, model: string, day = '2026-05-20') =>
    priceUsage(written, { provider: 'X', providerId, models: [model], at: Date.parse(day) }, listedPrices);

  it('costs twice the input where the book has only the price for five minutes', () => {
    expect(cost('aws', 'global.anthropic.claude-haiku-4-5-20251001-v1:0')).toMatchObject({
      amount: parseMoney('2'),
      lines: [{ kind: 'cache_write_1h' }],
    });
  });

  it('is billed like any other by those who do not tell them apart', () => {
    expect(cost('openai', 'gpt-5.6-terra', '2026-08-01').lines).toMatchObject([{ kind: 'cache_write', amount: parseMoney('5') }]);
    expect(cost('aws', 'global.anthropic.claude-haiku-4-5-20251001-v1:0', '2025-05-01').lines).toMatchObject([{ kind: 'cache_write' }]);
  });
});

describe('parts that contradict their wholes', () => {
  it.each([
    {
      case: 'more for an hour than written',
      counts: { promptCacheWriteTokens: 5, promptCacheWriteHourTokens: 9 },
      kinds: [['cache_write_1h', 9]],
    },
    {
      case: 'more for an hour than input',
      counts: { promptCacheWriteTokens: 50, promptCacheWriteHourTokens: 40 },
      kinds: [['cache_write_1h', 10]],
    },
  ])('keep the total: $case', ({ counts, kinds }) => {
    const { lines } = priceUsage(
      { ...unreportedUsage, promptTokens: 10, ...counts },
      { provider: 'X', providerId: 'anthropic', models: ['claude-sonnet-4-5'], at: Date.parse('2026-05-20') },
      listedPrices,
    );
    expect(lines.map(({ kind, tokens }) => [kind, tokens]).slice(-1)).toEqual(kinds);
    expect(lines.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(10);
  });

  it('never bill more cached audio than was cached', () => {
    const { lines } = priceUsage(
      { ...unreportedUsage, promptTokens: 100, promptCacheReadTokens: 60, promptCacheReadAudioTokens: 20, promptAudioTokens: 30 },
      { provider: 'X', providerId: 'google', models: ['gemini-2.5-flash'], at: Date.parse('2026-05-20') },
      listedPrices,
    );
    expect(lines.map(({ kind, tokens }) => [kind, tokens])).toEqual([
      ['input', 30],
      ['cache_read_audio', 20],
      ['cache_read', 40],
      ['input_audio', 10],
    ]);
  });
});
