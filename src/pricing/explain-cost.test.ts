import { expect, it } from 'vitest';
import type { BilledRequest, CostExplanation } from '../model/pricing/billed-request.ts';
import { unreportedUsage } from '../model/record/usage.ts';
import { priceUsage } from './cost.ts';
import { explainCost, recomputedCost } from './explain-cost.ts';
import { listedPrices } from './testing/prices.ts';

it('a call of which one side is estimated, and of the other nothing is known, gets no cost afterwards either', () => {
  const request: BilledRequest = {
    provider: 'OPENAI',
    modelOverride: '',
    responseModel: 'gpt-4o',
    requestModel: '',
    createdAt: Date.parse('2026-01-15T12:00:00Z'),
    serviceTier: '',
    usage: { ...unreportedUsage, completionTokens: 50, estimated: true },
    cost: null,
    costSource: 'none',
    priceReference: '',
    appliedPrice: '',
    cached: false,
  };
  const pricing = { providerId: 'openai', prices: listedPrices };
  expect(recomputedCost(request, pricing)).toBeUndefined();
  const { recomputed, note } = explainCost(request, pricing);
  expect([recomputed, note]).toEqual([null, expect.stringContaining('Only a part of the tokens is known')]);
  expect(recomputedCost({ ...request, usage: { ...request.usage, promptTokens: 10 } }, pricing)?.cost).not.toBeNull();
});

const explainedOf = (provider: string, providerId: string, model: string): CostExplanation => {
  const billed = { ...unreportedUsage, promptTokens: 1000, completionTokens: 100, webSearches: 2 };
  const query = { provider, providerId, models: [model], at: Date.parse('2026-01-15T12:00:00Z'), serviceTier: '' };
  const { amount, applied, reference } = priceUsage(billed, query, listedPrices);
  const request: BilledRequest = {
    provider,
    modelOverride: '',
    responseModel: model,
    requestModel: '',
    createdAt: query.at,
    serviceTier: '',
    usage: billed,
    cost: amount,
    costSource: 'price-book',
    priceReference: reference,
    appliedPrice: applied,
    cached: false,
  };
  return explainCost(request, { providerId, prices: listedPrices });
};

it('says how many searches the price has no fee for, and nothing where it has one', () => {
  const grounded = explainedOf('GOOGLE', 'google', 'gemini-2.5-flash');
  expect(grounded.note).toContain('2 searches that the provider made');
  expect(grounded.lines.map(({ kind }) => kind)).toEqual(['input', 'output']);
  const searched = explainedOf('ANTHROPIC', 'anthropic', 'claude-haiku-4-5');
  expect(searched.note).toBeUndefined();
  expect(searched.lines.map(({ kind }) => kind)).toEqual(['input', 'output', 'web_search']);
});
