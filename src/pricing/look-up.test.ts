import { describe, expect, it } from 'vitest';
import { candidatePrices } from './look-up.ts';
import { readOrganizationPrices } from './organization-prices.ts';
import { listedPrices } from './testing/prices.ts';

/** What the prices are called that a model's name leads to, where an organisation has stored one for a name. */
function referencesOf(providerId: string, model: string | readonly string[], stored: readonly string[] = []): readonly string[] {
  const organization = readOrganizationPrices(
    stored.map((name) => ({ model: name, provider: null, validFrom: null, rates: { input: 7 } })),
  );
  const query = { provider: 'X', providerId, models: [model].flat(), at: Date.parse('2026-01-15T12:00:00Z') };
  return Array.from(candidatePrices(query, { ...listedPrices, organization }), ({ reference }) => reference);
}

describe('a name of a model of Google', () => {
  it.each(['gemini-2.5-flash', 'google/gemini-2.5-flash', 'models/gemini-2.5-flash', 'publishers/google/models/gemini-2.5-flash'])(
    'may be %s',
    (model) => {
      expect(referencesOf('google', model)).toEqual(['google/gemini-2.5-flash']);
    },
  );

  it.each(['google/gemini-2.5-flash', 'gemini-2.5-flash', 'gemini-2.5-*'])('finds what an organisation has stored for %s', (name) => {
    expect(referencesOf('google', 'google/gemini-2.5-flash', [name])[0]).toBe(name);
  });

  it('is none at another provider', () => {
    expect(referencesOf('openai', 'models/gpt-4o')).toEqual([]);
    expect(referencesOf('openai', 'gpt-4o')).toEqual(['openai/gpt-4o']);
  });
});

describe('a name of a model at Amazon', () => {
  it('is first the one that was asked for: it tells the region, and the answer does not', () => {
    const answered = 'claude-sonnet-4-5-20250929';
    const prices = (asked: string): string | undefined => referencesOf('aws', [answered, asked])[0];
    expect(prices('global.anthropic.claude-sonnet-4-5-20250929-v1:0')).toMatch(/^aws\/global\./);
    expect(prices('eu.anthropic.claude-sonnet-4-5-20250929-v1:0')).toMatch(/^aws\/(?:regional|eu)\./);
    expect(prices('arn:aws:bedrock:us-east-1:1:application-inference-profile/abc')).toMatch(/^aws\//);
  });
});
