import { describe, expect, it } from 'vitest';
import type { StoredPrice } from '../model/pricing/stored-price.ts';
import { unreportedUsage } from '../model/record/usage.ts';
import { priceUsage } from './cost.ts';
import { readOrganizationPrices } from './organization-prices.ts';
import { listedPrices } from './testing/prices.ts';

const stored = (model: string, output: number, given: Partial<StoredPrice> = {}): StoredPrice => ({
  model,
  provider: null,
  validFrom: null,
  rates: { input: 0, output },
  ...given,
});
const usage = { ...unreportedUsage, completionTokens: 1_000_000 };

/** What a million tokens of output cost, in US dollars. */
function outputOf(prices: readonly StoredPrice[], models: readonly string[], at = '2026-05-01', provider = 'OPENAI') {
  const query = { provider, providerId: 'openai', models, at: Date.parse(at) };
  const { amount, applied, validFrom, reference } = priceUsage(usage, query, {
    ...listedPrices,
    organization: readOrganizationPrices(prices),
  });
  return { usd: amount === null ? null : Number(amount) / 1e12, applied, validFrom, reference };
}

describe('the prices of an organisation', () => {
  it('go before the list, and before it for the other name of the model too', () => {
    const prices = [stored('gpt-4o', 7)];
    expect(outputOf(prices, ['gpt-4o'])).toMatchObject({ usd: 7, reference: 'gpt-4o' });
    expect(outputOf(prices, ['gpt-4o-2024-08-06', 'gpt-4o']).usd).toBe(7);
    expect(outputOf(prices, ['gpt-4o-mini']).usd).toBe(0.6);
  });

  it('by a whole name go before those by a beginning, for whichever name of the model', () => {
    expect(outputOf([stored('*', 1), stored('gpt-4o', 7)], ['gpt-4o-2024-08-06', 'gpt-4o']).usd).toBe(7);
    expect(outputOf([stored('*', 1), stored('gpt-4o*', 2)], ['other', 'gpt-4o']).usd).toBe(2);
  });

  it('price models and providers that no list has', () => {
    expect(outputOf([stored('llama-at-home', 3)], ['llama-at-home'], '2026-05-01', 'CUSTOM').usd).toBe(3);
    const query = { provider: 'VLLM', providerId: undefined, models: ['mine'], at: 0 };
    const organization = readOrganizationPrices([stored('mine', 2)]);
    expect(priceUsage(usage, query, { ...listedPrices, organization })).toMatchObject({ amount: 2n * 10n ** 12n });
  });

  it('are those of the time of the call; before the first the list holds', () => {
    const prices = [stored('gpt-4o', 1, { validFrom: '2026-01-01' }), stored('gpt-4o', 2, { validFrom: '2026-02-01' })];
    expect(outputOf(prices, ['gpt-4o'], '2025-12-31T23:59:59.999Z').usd).toBe(10);
    expect(outputOf(prices, ['gpt-4o'], '2026-01-31T23:59:59.999Z')).toMatchObject({ usd: 1, validFrom: '2026-01-01' });
    expect(outputOf(prices, ['gpt-4o'], '2026-02-01T00:00:00.000Z')).toMatchObject({ usd: 2, validFrom: '2026-02-01' });
  });

  it('whole names go before beginnings, longer beginnings before shorter ones, a provider before any, whatever their order', () => {
    const prices = [
      stored('*', 1),
      stored('gpt-*', 2),
      stored('gpt-4*', 3),
      stored('gpt-4o', 4),
      stored('gpt-4o', 5, { provider: 'AZURE' }),
    ];
    for (const given of [prices, prices.toReversed()]) {
      expect(outputOf(given, ['other']).usd).toBe(1);
      expect(outputOf(given, ['gpt-3.5-turbo']).usd).toBe(2);
      expect(outputOf(given, ['gpt-4.1']).usd).toBe(3);
      expect(outputOf(given, ['gpt-4o']).usd).toBe(4);
      expect(outputOf(given, ['gpt-4o'], '2026-05-01', 'AZURE').usd).toBe(5);
    }
  });

  it('hold at every service tier', () => {
    const query = { provider: 'OPENAI', providerId: 'openai', models: ['gpt-5'], at: Date.parse('2026-05-01'), serviceTier: 'flex' };
    const organization = readOrganizationPrices([stored('gpt-5', 9)]);
    expect(priceUsage(usage, query, { ...listedPrices, organization }).amount).toBe(9n * 10n ** 12n);
  });
});
