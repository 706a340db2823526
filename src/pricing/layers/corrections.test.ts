import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { moneyOfUsd } from '../../model/pricing/money.ts';
import { rateKinds } from '../../model/vocabulary/prices.ts';
import { rateFor } from '../tables/price.ts';
import { priceBookFrom } from '../price-book.ts';
import { priceList } from '../tables/price-list.ts';
import { corrections } from './corrections.ts';
import { bookOfLines } from './line-book.ts';
import { keyOfLine, type PriceLine } from '../../model/pricing/price-line.ts';

const publicList = priceBookFrom(undefined);
const afterAll = Date.parse('2027-03-01');

/** Whether the public list has the very price of a correction, below its step and above it. */
function listHas({ model, provider, rates, above = [] }: PriceLine): boolean {
  const listed = publicList.find(provider ?? undefined, model, afterAll);
  if (listed === undefined) return false;
  const sizes = [{ inputTokens: 0, rates }, ...above];
  return sizes.every(({ inputTokens, rates: wanted }) =>
    rateKinds.every((kind) => {
      const [usd, rate] = [wanted[kind], listed.rates.get(kind)];
      return usd === undefined || (rate !== undefined && rateFor(rate, inputTokens + 1) === moneyOfUsd(usd));
    }),
  );
}

describe('a correction', () => {
  it.each(corrections.map((line) => [`${line.provider}/${line.model}`, line] as const))(
    'of %s is needed as long as the list lacks it',
    (_name, line) => {
      expect(listHas(line), 'the public list has caught up: remove this correction').toBe(false);
    },
  );

  it('names who says so, with a day, and holds from a day on', () => {
    for (const { model, source, validFrom } of corrections) {
      expect([model, source]).toEqual([model, expect.stringMatching(/\d{4}-\d{2}-\d{2}/)]);
      expect(Date.parse(validFrom ?? '')).toBeGreaterThan(0);
    }
  });

  it('stands there once', () => {
    expect(new Set(corrections.map(keyOfLine)).size).toBe(corrections.length);
  });
});

describe('the step of 272,000', () => {
  it('is still written as 271,999 for some models of the public list: without them, reading it so can go', () => {
    const text = readFileSync(new URL(import.meta.resolve('@pydantic/genai-prices')), 'utf8');
    expect(text).toMatch(/start:\s*271_?999/);
  });
});

describe('the public list', () => {
  it('is the package of the project, by name and version', () => {
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    expect(dependencies[priceList.package]).toBe(priceList.version);
  });
});

const line = (model: string, provider: string | null, validFrom: string | null, input: number): PriceLine => ({
  model,
  provider,
  validFrom,
  source: 'a test of 2026-01-01',
  rates: { input },
});

describe('a book of lines', () => {
  const book = bookOfLines('prices-file', [
    line('m*', null, null, 1),
    line('model-1', null, null, 2),
    line('model-1', 'openai', null, 3),
    line('model-1', 'openai', '2026-06-01', 4),
    line('model-1-2026-02-02', 'openai', null, 5),
  ]);
  const inputOf = (provider: string | undefined, model: string, day = '2026-05-01') =>
    book.find(provider, model, Date.parse(day))?.rates.get('input')?.perMillion;

  it.each([
    ['a whole name before a prefix', undefined, 'model-1', 2],
    ['one provider before any', 'openai', 'model-1', 3],
    ['a prefix for the rest', 'openai', 'model-2', 1],
    ['a snapshot`s own price', 'openai', 'model-1-2026-02-02', 5],
    ['the model`s price for its other snapshots', 'openai', 'model-1-2026-04-04', 3],
    ['and for its versions at Amazon', 'aws', 'model-1-20260101-v1:0', 2],
  ])('takes %s', (_rule, provider, model, usd) => {
    expect(inputOf(provider, model)).toBe(moneyOfUsd(usd));
  });

  it('takes the latest price that holds', () => {
    expect([inputOf('openai', 'model-1', '2026-05-31'), inputOf('openai', 'model-1', '2026-06-01')]).toEqual([
      moneyOfUsd(3),
      moneyOfUsd(4),
    ]);
    expect(inputOf('openai', 'other')).toBeUndefined();
  });
});
