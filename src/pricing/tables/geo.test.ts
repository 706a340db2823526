import { describe, expect, it } from 'vitest';
import { parseMoney } from '../../model/pricing/money.ts';
import { unreportedUsage } from '../../model/record/usage.ts';
import { priceUsage } from '../cost.ts';
import { readOrganizationPrices } from '../organization-prices.ts';
import { listedPrices } from '../testing/prices.ts';

/** https://platform.claude.com/docs/en/build-with-claude/data-residency and https://support.claude.com/en/articles/15422948: 1.1 times. */
const at = Date.parse('2026-11-20');
const costOf = (providerId: string, model: string, geo: string, prices = listedPrices) =>
  priceUsage(
    { ...unreportedUsage, promptTokens: 1_000_000, completionTokens: 0, webSearches: 1, geo },
    { provider: 'X', providerId, models: [model], at },
    prices,
  );

describe('inference in one place', () => {
  it.each(['claude-opus-4-6', 'claude-sonnet-4-6', 'claude-opus-5-5', 'claude-haiku-5-5', 'claude-fable-5-2'])(
    'of %s costs 1.1 times, but its searches',
    (model) => {
      const [plain, us] = [costOf('anthropic', model, ''), costOf('anthropic', model, 'us')];
      expect(us.lines.map(({ kind }) => kind)).toEqual(['input', 'web_search']);
      expect(us.lines[0]?.amount).toBe(((plain.lines[0]?.amount ?? 0n) * 11n) / 10n);
      expect(us.lines[1]?.amount).toBe(plain.lines[1]?.amount);
      expect(us.reference).toBe(`${plain.reference} (us)`);
    },
  );

  it.each([
    'claude-opus-4-5-20251101',
    'claude-sonnet-4-5',
    'claude-haiku-4-5-20251001',
    'claude-opus-4-1',
    'claude-sonnet-4-20250514',
    'claude-3-5-haiku-latest',
  ])('of %s costs what it costs anywhere', (model) => {
    expect(costOf('anthropic', model, 'us').amount).toBe(costOf('anthropic', model, '').amount);
  });

  it.each(['global', 'not_available', 'GLOBAL'])('called %s is anywhere', (geo) => {
    expect(costOf('anthropic', 'claude-opus-5-5', geo).amount).toBe(costOf('anthropic', 'claude-opus-5-5', '').amount);
  });

  it('whose price nobody knows has none rather than a wrong one', () => {
    expect(costOf('anthropic', 'claude-opus-5-5', 'eu').amount).toBeNull();
  });

  it('is no matter of other providers, nor of a price that the organisation has stored', () => {
    expect(costOf('openai', 'gpt-4o', 'eu').amount).toBe(costOf('openai', 'gpt-4o', '').amount);
    const organization = readOrganizationPrices([
      { model: 'claude-opus-5-5', provider: null, validFrom: null, rates: { input: 7, output: 9 } },
    ]);
    expect(costOf('anthropic', 'claude-opus-5-5', 'us', { ...listedPrices, organization }).amount).toBe(parseMoney('7'));
  });
});
