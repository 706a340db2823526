import { describe, expect, it } from 'vitest';
import { moneyOfUnits, moneyText, zeroMoney } from '../model/pricing/money.ts';
import { unreportedUsage } from '../model/record/usage.ts';
import type { Usage } from '../model/record/usage.ts';
import { explainCost, recomputedCost } from './explain-cost.ts';
import { listedPrices } from './testing/prices.ts';
import { isOfSeveralModels, priceBills } from './several-models.ts';

const usageOf = (counts: Partial<Usage>): Usage => ({ ...unreportedUsage, ...counts });
const query = { provider: 'OPENAI', providerId: 'openai', models: ['gpt-4o'], at: Date.parse('2026-01-15T12:00:00Z') };
const answered = { model: '', usage: usageOf({ promptTokens: 1000, completionTokens: 500 }) };

describe('a call in which several models took part', () => {
  it('costs what each of them costs at its own price', () => {
    // gpt-4o: 1,000 × 2.50 + 500 × 10.00; gpt-4o-mini: 2,000 × 0.15 + 100 × 0.60.
    const other = { model: 'gpt-4o-mini', usage: usageOf({ promptTokens: 2000, completionTokens: 100 }) };
    const priced = priceBills([answered, other], query, listedPrices);
    expect({ ...priced, amount: moneyText(priced.amount ?? zeroMoney), lines: priced.lines.length }).toEqual({
      amount: '0.007860000000',
      source: 'price-book',
      reference: 'openai/gpt-4o + openai/gpt-4o-mini',
      applied: '',
      validFrom: '',
      lines: 4,
    });
  });

  it('has no cost where one of them has no price, and says of which', () => {
    const other = { model: 'nobody-knows', usage: usageOf({ promptTokens: 1, completionTokens: 1 }) };
    expect(priceBills([answered, other], query, listedPrices)).toMatchObject({
      amount: null,
      source: 'none',
      reference: 'openai/gpt-4o + ?',
    });
  });

  it.each([
    ['price-book', moneyOfUnits(7n)],
    ['none', null],
  ] as const)('keeps the cost that it has, from %s, when prices change', (costSource, cost) => {
    const priceReference = 'openai/gpt-4o + openai/gpt-4o-mini';
    const { usage } = answered;
    const request = {
      provider: 'OPENAI',
      modelOverride: '',
      responseModel: 'gpt-4o',
      requestModel: '',
      createdAt: query.at,
      serviceTier: '',
      usage,
      cost,
      costSource,
      priceReference,
      appliedPrice: '',
      cached: false,
    };
    const pricing = { providerId: 'openai', prices: listedPrices };
    expect(isOfSeveralModels(request)).toBe(true);
    expect(recomputedCost(request, pricing)).toBeUndefined();
    const explained = explainCost(request, pricing);
    expect(explained).toMatchObject({ total: cost, source: costSource, recomputed: cost });
    expect(explained.note).toContain(priceReference);
  });
});
