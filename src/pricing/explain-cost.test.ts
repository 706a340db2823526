import { expect, it } from 'vitest';
import type { BilledRequest } from '../model/billed-request.ts';
import { unreportedUsage } from '../model/usage.ts';
import { explainCost, recomputedCost } from './explain-cost.ts';
import { listedPrices } from './prices-rig.ts';

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
