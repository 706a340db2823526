import { describe, expect, it } from 'vitest';
import { moneyOfUsd } from '../model/pricing/money.ts';
import { unreportedUsage } from '../model/record/usage.ts';
import { priceUsage } from './cost.ts';
import { listedBook } from './layers/books.ts';
import { bookOfLines } from './layers/line-book.ts';
import { readGatelogForm } from './lists/gatelog-form.ts';
import { candidatePrices, type PriceQuery } from './look-up.ts';
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

const own = (model: string) => [{ model, input: 1, output: 2 }];

const million = { ...unreportedUsage, promptTokens: 1_000_000, completionTokens: 0 };

function linesOf(entries: readonly unknown[]) {
  const read = readGatelogForm(entries, { source: 'the operator', zeroIsFree: true, providerIdOf: (name) => name });
  if ('fault' in read) throw new Error(read.fault.problem);
  return read.lines;
}

const queryOf = (given: Partial<PriceQuery>): PriceQuery => ({
  provider: 'X',
  providerId: 'openai',
  models: ['gpt-4o'],
  at: Date.parse('2026-11-27'),
  ...given,
});

/** What a million input tokens cost where the operator has these prices in a file. */
function operatorCost(entries: readonly unknown[], query: Partial<PriceQuery>) {
  const book = listedBook({ lines: linesOf(entries) }, () => undefined);
  return priceUsage({ ...million, geo: query.geo ?? '' }, queryOf(query), { ...listedPrices, book });
}

describe("the operator's own price", () => {
  it.each<readonly [string, Partial<PriceQuery>]>([
    ['of which a table has fixed rates', { models: ['gpt-4o'], serviceTier: 'priority' }],
    ['without a row', { models: ['gpt-4o'], serviceTier: 'scale' }],
    ['before the first day of its row', { models: ['gpt-6-luna'], serviceTier: 'priority', at: Date.parse('2026-09-02') }],
    ['at Azure', { providerId: 'azure', models: ['gpt-4o'], serviceTier: 'priority' }],
    ['at Amazon', { providerId: 'aws', models: ['openai.gpt-oss-120b-1:0'], serviceTier: 'priority' }],
    ['that Anthropic sells by contract', { providerId: 'anthropic', models: ['claude-sonnet-5'], serviceTier: 'priority' }],
    ['in a place without a row', { providerId: 'anthropic', models: ['claude-sonnet-5'], geo: 'eu' }],
  ])('holds at a tier %s', (_tier, query) => {
    const [model = ''] = query.models ?? [];
    expect(operatorCost(own(model), query)).toMatchObject({ amount: moneyOfUsd(1), reference: `*/${model}` });
  });

  it.each<readonly [string, Partial<PriceQuery>, number]>([
    ['halved at a tier for half the price', { serviceTier: 'flex' }, 0.5],
    ['doubled at a tier for twice the price', { models: ['gpt-6-luna'], serviceTier: 'priority' }, 2],
    [
      'halved as a batch in a place without a row',
      { providerId: 'anthropic', models: ['claude-sonnet-5'], serviceTier: 'batch', geo: 'eu' },
      0.5,
    ],
    ['raised where the model ran in the US alone', { providerId: 'anthropic', models: ['claude-sonnet-5'], geo: 'us' }, 1.1],
  ])('is %s, and still names the operator', (_case, query, usd) => {
    const [model = 'gpt-4o'] = query.models ?? [];
    const priced = operatorCost(own(model), query);
    expect(priced.amount).toBe(moneyOfUsd(usd));
    expect(priced.applied).toContain('the operator');
  });
});

describe('a model that was asked for by another name than it answered by', () => {
  const alias = { providerId: 'azure', models: ['gpt-4o', 'my-gpt'] };

  it('costs what the operator says of the name that was asked for, before any list', () => {
    expect(operatorCost(own('my-gpt'), alias)).toMatchObject({ amount: moneyOfUsd(1), reference: '*/my-gpt' });
    expect(operatorCost(own('my-*'), alias).reference).toBe('*/my-*');
    expect(operatorCost(own('my-gpt'), { ...alias, models: ['gpt-4o-2024-11-20', 'my-gpt-2024-11-20'] }).reference).toBe('*/my-gpt');
  });

  it('costs first what the operator says of the name that answered', () => {
    expect(operatorCost([...own('my-gpt'), { model: 'gpt-4o', input: 3 }], alias).amount).toBe(moneyOfUsd(3));
  });

  it('costs what was imported before what a file says', () => {
    const [file, imported] = [linesOf([{ model: 'gpt-4o', input: 3 }]), bookOfLines('prices-file', linesOf(own('my-gpt')))];
    const book = listedBook({ lines: file }, () => imported);
    expect(priceUsage(million, queryOf(alias), { ...listedPrices, book }).amount).toBe(moneyOfUsd(1));
  });

  it('of which the operator says nothing is the one that answered, whether a correction or the list has it', () => {
    expect(operatorCost([], { models: ['gpt-4o', 'gpt-6.1-sol'] }).reference).toBe('openai/gpt-4o');
    expect(operatorCost([], { models: ['gpt-6.1-sol', 'gpt-4o'] }).reference).toBe('openai/gpt-6.1-sol');
  });
});
