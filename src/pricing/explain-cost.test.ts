import { expect, it } from 'vitest';
import type { BilledRequest, CostExplanation } from '../model/record/billed-request.ts';
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
  const query = { provider, providerId, models: [model], at: Date.parse('2026-11-27T12:00:00Z'), serviceTier: '' };
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
    costSource: amount === null ? 'none' : 'price-book',
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

it('the price of a model that nobody knows names the nearest one that has one, and the line that prices it so', () => {
  const { nearest, note } = explainedOf('OPENAI', 'openai', 'gpt-6.3-sol');
  expect(nearest).toMatchObject({
    model: 'gpt-6.2-sol',
    line: { model: 'gpt-6.3-sol', provider: 'OPENAI', rates: { input: 2, cache_read: 0.1, cache_write: 2.5, output: 10 } },
  });
  expect(note).toContain('There was no price for the model "gpt-6.3-sol" of OPENAI');
  expect(explainedOf('OPENAI', 'openai', 'house-7b').nearest).toBeUndefined();
  expect(explainedOf('OPENAI', 'openai', 'gpt-6.2-sol').nearest).toBeUndefined();
});
