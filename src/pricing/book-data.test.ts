import { findProvider } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { parseMoney } from '../model/pricing/money.ts';
import { readBookData } from './book-data.ts';
import { priceBookFrom } from './price-book.ts';

const model = (given: Readonly<Record<string, unknown>> = {}) => ({
  id: 'house-model',
  match: { starts_with: 'house-' },
  prices: { input_mtok: 1.5, output_mtok: { base: 4, tiers: [{ start: 1000, price: 8 }] } },
  ...given,
});
const providerWith = (...models: readonly unknown[]) => ({ id: 'openai', models });

function bookOf(data: unknown) {
  const read = readBookData(data);
  if ('fault' in read) throw new Error(`${read.fault.path} ${read.fault.problem}`);
  return priceBookFrom({ ...read, source: '' });
}

describe('the data of a price book', () => {
  it('prices what it lists and nothing else', () => {
    const book = bookOf([providerWith(model())]);
    const price = book.find('openai', 'house-7b', 0);
    expect(price).toMatchObject({ table: 'prices-file', reference: 'openai/house-model' });
    expect(price?.rates.get('input')).toEqual({ perMillion: parseMoney('1.5'), steps: [] });
    expect(price?.rates.get('output')?.steps).toEqual([{ aboveInputTokens: 1000, perMillion: parseMoney('8') }]);
    expect(book.find('openai', 'gpt-4o', 0)).toBeUndefined();
    expect(book.find('anthropic', 'claude-sonnet-4-5', Date.parse('2026-01-01'))).toBeUndefined();
    expect(book.modelsOf('openai')).toEqual(['house-model']);
  });

  it('has dated prices, with a type of the constraint or without', () => {
    const prices = [
      { prices: { input_mtok: 1 } },
      { constraint: { start_date: '2026-01-01' }, prices: { input_mtok: 2 } },
      { constraint: { start_date: '2026-02-01', type: 'start_date' }, prices: { input_mtok: 3 } },
    ];
    const book = bookOf([providerWith(model({ prices }))]);
    const inputAt = (day: string) => {
      const price = book.find('openai', 'house-x', Date.parse(day));
      return [price?.validFrom, price?.rates.get('input')?.perMillion];
    };
    expect(inputAt('2025-12-31T23:59:59Z')).toEqual(['', parseMoney('1')]);
    expect(inputAt('2026-01-01T00:00:00Z')).toEqual(['2026-01-01', parseMoney('2')]);
    expect(inputAt('2026-03-01T00:00:00Z')).toEqual(['2026-02-01', parseMoney('3')]);
  });

  it('looks for models of other providers in itself, not in the public list', () => {
    const azure = { id: 'azure', models: [], fallback_model_providers: ['openai'] };
    const book = bookOf([providerWith(model()), azure]);
    expect(book.find('azure', 'house-1', 0)?.reference).toBe('azure/house-model');
    expect(book.find('azure', 'gpt-4o', 0)).toBeUndefined();
  });

  it('may be the public list itself, written as JSON', () => {
    const names = ['openai', 'anthropic', 'google', 'azure', 'deepseek', 'groq'];
    const data: unknown = JSON.parse(JSON.stringify(names.map((providerId) => findProvider({ providerId }))));
    const [book, listed] = [bookOf(data), priceBookFrom(undefined)];
    for (const providerId of names) {
      for (const name of listed.modelsOf(providerId)) {
        const [own, theirs] = [book, listed].map((each) => each.find(providerId, name, Date.parse('2026-01-15T12:00:00Z')));
        expect({ ...own, table: '', source: '' }).toEqual({ ...theirs, table: '', source: '' });
      }
    }
  });
});

describe('data that is refused says where', () => {
  it.each([
    [{}, 'providers', 'is no array'],
    [[], 'providers', 'has no provider'],
    [[7], 'providers[0]', 'is no object'],
    [[{ models: [] }], 'providers[0].id', 'is missing'],
    [[{ id: 'openai' }], 'providers[0].models', 'is missing'],
    [[providerWith(), providerWith()], 'providers[1].id', 'is "openai" a second time'],
    [[providerWith(model({ match: {} }))], 'providers[0].models[0].match', 'is no match; write one such as {"equals": "gpt-4o"}'],
    [
      [providerWith(model({ match: { is: 'x' } }))],
      'providers[0].models[0].match',
      'has "is"; a match is one of equals, starts_with, ends_with, contains, regex, or, and',
    ],
    [[providerWith(model({ match: { or: [{ regex: '(' }] } }))], 'providers[0].models[0].match.or[0].regex', 'is no regular expression'],
    [[providerWith(model({ prices: { input_mtok: '1' } }))], 'providers[0].models[0].prices.input_mtok', 'is no number from 0'],
    [[providerWith(model({ prices: { input_mtok: -1 } }))], 'providers[0].models[0].prices.input_mtok', 'is no number from 0'],
    [
      [providerWith(model({ prices: { input: 1 } }))],
      'providers[0].models[0].prices.input',
      'is no price that is known; write one such as "input_mtok"',
    ],
    [
      [providerWith(model({ prices: [{ constraint: { start_date: '2026-02' }, prices: {} }] }))],
      'providers[0].models[0].prices[0].constraint.start_date',
      'is no date; write one such as 2026-01-31',
    ],
    [
      [providerWith(model({ prices: [{ constraint: { start_time: '25:00:00Z' }, prices: {} }] }))],
      'providers[0].models[0].prices[0].constraint.start_time',
      'is no time of day; write one such as 16:30:00Z',
    ],
  ])('%#: %j', (data, path, problem) => {
    expect(readBookData(data)).toEqual({ fault: { path, problem } });
  });
});
