import { describe, expect, it } from 'vitest';
import { parseMoney } from '../model/pricing/money.ts';
import { priceBookFrom } from './price-book.ts';

const book = priceBookFrom(undefined);

describe('the models of a provider', () => {
  it('are those that the book lists', () => {
    expect(book.modelsOf('openai')).toEqual(expect.arrayContaining(['gpt-4o', 'gpt-4o-mini']));
    const names = ['gpt-4o', 'gpt-4o to ann@example.com', ''];
    expect([names.map((name) => book.lists('openai', name)), book.lists(undefined, 'gpt-4o')]).toEqual([[true, false, false], false]);
  });

  it('are none of a provider that it does not know, or that has no name there', () => {
    expect(book.modelsOf('nobody')).toEqual([]);
    expect(book.modelsOf(undefined)).toEqual([]);
  });
});

const outputAt = (model: string, at: string) => book.find('deepseek', model, Date.parse(at))?.rates.get('output')?.perMillion;

describe('a price', () => {
  it('that changes with the hour is found again within the day, and again', () => {
    // deepseek-chat until 2025-09-05: 1.10, and 0.55 from 16:30 to 00:30 UTC.
    for (const [at, usd] of [
      ['2025-05-01T12:00:00Z', '1.1'],
      ['2025-05-01T18:00:00Z', '0.55'],
      ['2025-05-01T12:00:30Z', '1.1'],
    ] as const) {
      expect([at, outputAt('deepseek-chat', at)]).toEqual([at, parseMoney(usd)]);
    }
  });
});
