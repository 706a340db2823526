import { describe, expect, it } from 'vitest';
import { parseMoney } from '../model/pricing/money.ts';
import { type CallBounds, maxCost } from './highest-cost.ts';
import { readOrganizationPrices } from './organization-prices.ts';
import { listedPrices } from './testing/prices.ts';

const at = Date.parse('2025-09-01T00:00:00Z');
const text: CallBounds = { inputTokens: 1000, outputTokens: 100, choices: 1, isText: true, writesCache: false };
const usd = (amount: string) => parseMoney(amount);
const of = (model: string, bounds: Partial<CallBounds> = {}, providerId = 'openai') =>
  maxCost({ provider: 'X', providerId, models: [model], at }, { ...text, ...bounds }, listedPrices);

describe('the most that a call can cost', () => {
  it('is all of its input and as much output as it may have, at list prices', () => {
    // gpt-4: 30 and 60 USD a million.
    expect(of('gpt-4')).toBe(usd('0.036'));
  });

  it('has as many answers as were asked for', () => {
    expect(of('gpt-4', { choices: 3 })).toBe(usd('0.048'));
  });

  it('without a limit of its own has as much as the model takes', () => {
    // gpt-4o-mini takes 128,000 tokens and gives 16,384, 0.15 and 0.60 USD a million.
    expect(of('gpt-4o-mini', { outputTokens: undefined })).toBe(usd('0.0099804'));
    expect(of('gpt-4o-mini', { outputTokens: 10 ** 12 })).toBe(usd('0.0099804'));
    expect(of('gpt-4o-mini', { inputTokens: undefined })).toBe(usd('0.01926'));
    // No row tells what gpt-5-pro gives: as much as its window of 400,000 tokens, 15 and 120 USD a million.
    expect(of('gpt-5-pro', { outputTokens: undefined })).toBe(usd('48.015'));
  });

  it('takes the more expensive rate of a cache that is written, where the caller asks for that', () => {
    // Claude Sonnet 4: 3 and 15 USD a million, a cache for an hour twice the input.
    expect(of('claude-sonnet-4-20250514', {}, 'anthropic')).toBe(usd('0.0045'));
    expect(of('claude-sonnet-4-20250514', { writesCache: true }, 'anthropic')).toBe(usd('0.0075'));
  });

  it('takes the step of the price that the input may reach', () => {
    // Gemini 2.5 Pro: 1.25 and 10 USD a million, above 200,000 tokens of input 2.50 and 15.
    expect(of('gemini-2.5-pro', { inputTokens: 200_000, outputTokens: 1 }, 'google')).toBe(usd('0.25001'));
    expect(of('gemini-2.5-pro', { inputTokens: 300_000, outputTokens: 1 }, 'google')).toBe(usd('0.750015'));
  });

  it('is not known without a price, a price by the token, or a size', () => {
    expect(of('no-such-model')).toBeUndefined();
    expect(of('gpt-4', {}, 'nobody')).toBeUndefined();
    expect(of('e', { outputTokens: undefined }, 'echo')).toBeUndefined();
  });

  it('is by the price that the organisation has stored, and as long as the book says that the model is', () => {
    const organization = readOrganizationPrices([
      { model: 'gpt-4o-mini', provider: null, validFrom: null, rates: { input: 1, output: 2 } },
    ]);
    const query = { provider: 'OPENAI', providerId: 'openai', models: ['gpt-4o-mini'], at };
    expect(maxCost(query, text, { ...listedPrices, organization })).toBe(usd('0.0012'));
    expect(maxCost(query, { ...text, outputTokens: undefined }, { ...listedPrices, organization })).toBe(usd('0.033768'));
  });
});
