import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Money, usdOf } from '../model/pricing/money.ts';
import { unreportedUsage } from '../model/record/usage.ts';
import type { RateKind } from '../model/vocabulary/prices.ts';
import { priceUsage } from './cost.ts';
import { candidatePrices, type PriceQuery } from './look-up.ts';
import type { Price } from './tables/price.ts';
import { listSource } from './tables/price-list.ts';
import { listedPrices } from './testing/prices.ts';

/** The guide's table of the models that agents choose, whose rows this test makes again from the price book. */
const guide = readFileSync(new URL('../../docs/guides/costs-and-prices.md', import.meta.url), 'utf8');
const section = guide.slice(guide.indexOf('## Default models of agents'), guide.indexOf('## Tokens of streams'));
const [titles = [], , ...rows] = section
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
const cellsOf = (row: readonly string[]): ReadonlyMap<string, string> => new Map(titles.map((title, at) => [title, row[at] ?? '']));
const cases = rows.flatMap((row) => {
  const cells = cellsOf(row);
  return [...(cells.get('model') ?? '').matchAll(/`([^`]+)`/g)].map(([, model = '']) => ({ model, cells }));
});

const readOn = Date.UTC(2026, 10, 27);

/** By the beginning of a model's name: the provider in records, and in the price book. */
const providers: readonly (readonly [start: string, recordName: string, providerId: string])[] = [
  ['us.anthropic.', 'BEDROCK', 'aws'],
  ['openai/gpt-oss', 'GROQ', 'groq'],
  ['gpt-oss', 'CEREBRAS', 'cerebras'],
  ['gpt-', 'OPENAI', 'openai'],
  ['claude-', 'ANTHROPIC', 'anthropic'],
  ['gemini-', 'GEMINI', 'google'],
  ['deepseek-', 'DEEPSEEK', 'deepseek'],
  ['glm-', 'ZAI', 'zai'],
  ['kimi-', 'MOONSHOTAI', 'moonshotai'],
  ['MiniMax-', 'MINIMAX', 'minimax'],
];

/** Sources as the table writes them, and how the price names them. */
const sources: Readonly<Record<string, string>> = {
  'genai-prices 0.1.8, 2026-09-23': listSource,
  'Claude Code 2.1.332, 2026-11-24': 'Claude Code 2.1.332 of 2026-11-24',
  "OpenAI's page of the model, 2026-11-27": 'https://developers.openai.com/api/docs/models/gpt-6.2-sol, read 2026-11-27',
  "OpenAI's list of models, 2026-11-27": 'https://developers.openai.com/api/docs/models, read 2026-11-27',
  'pi-ai 1.6.0, 2026-11-20': '@earendil-works/pi-ai 1.6.0 of 2026-11-20',
};

function queryOf(model: string, at: number): PriceQuery {
  const [, provider = '', providerId] = providers.find(([start]) => model.startsWith(start)) ?? [];
  return { provider, providerId, models: [model], at };
}

function priceOf(model: string, at = readOn): Price {
  const [price] = candidatePrices(queryOf(model, at), listedPrices);
  if (price === undefined) throw new Error(`${model} has no price.`);
  return price;
}

const usd = (money: Money | undefined): string => (money === undefined ? '' : String(usdOf(money)));
const rateOf = (price: Price, kind: RateKind): string => usd(price.rates.get(kind)?.perMillion);

function writesOf(price: Price): string {
  const longer = (['cache_write_1h', 'cache_write_12h'] as const).map((kind) => rateOf(price, kind));
  const named = [
    rateOf(price, 'cache_write'),
    ...['1 hour', '12 hours'].flatMap((name, at) => (longer[at] === '' ? [] : [`${name} ${longer[at]}`])),
  ];
  return named.join('; ');
}

function stepOf(price: Price): string {
  const above = price.rates.get('input')?.steps[0]?.aboveInputTokens;
  if (above === undefined) return '';
  const rates = (['input', 'cache_read', 'cache_write', 'output'] as const).flatMap(
    (kind) => usd(price.rates.get(kind)?.steps[0]?.perMillion) || [],
  );
  return `${above.toLocaleString('en')}: ${rates.join(', ')}`;
}

/** 50,000 tokens in, of which 40,000 were read from the cache and 5,000 written to it, and 2,000 out. */
const call = {
  ...unreportedUsage,
  promptTokens: 50_000,
  promptCacheReadTokens: 40_000,
  promptCacheWriteTokens: 5_000,
  completionTokens: 2_000,
};

/** Without a remark in parentheses. */
const plain = (cell = ''): string => cell.replace(/ \(.*\)$/, '');

describe('the table of the models that agents choose says what the price book says', () => {
  it('has its rows', () => {
    expect(cases.length).toBeGreaterThanOrEqual(24);
    expect(titles).toEqual(['agent', 'model', 'input', 'cache read', 'cache write', 'output', 'above', 'a call', 'source']);
  });

  it.each(cases)('$model', ({ model, cells }) => {
    const price = priceOf(model);
    const { amount } = priceUsage(call, queryOf(model, readOn), listedPrices);
    const said = ['input', 'cache read', 'cache write', 'output', 'above', 'a call'].map((title) => plain(cells.get(title)));
    const rates = [rateOf(price, 'input'), rateOf(price, 'cache_read'), writesOf(price), rateOf(price, 'output'), stepOf(price)];
    expect(said).toEqual([...rates, usd(amount ?? undefined)]);
    const source = sources[cells.get('source') ?? ''];
    expect(price.source === '' ? listSource : price.source).toContain(source ?? 'a source that this test knows');
  });

  it('whose prices were others before, or will be', () => {
    expect(rateOf(priceOf('claude-sonnet-5-5', Date.UTC(2026, 9, 6)), 'cache_read')).toBe('0.2');
    const [before, after] = [Date.UTC(2026, 11, 31), Date.UTC(2027, 0, 1)].map((at) => priceOf('gemini-3.8-flash', at));
    for (const kind of ['input', 'cache_read', 'output'] as const) {
      expect(Number(rateOf(after as Price, kind))).toBe(2 * Number(rateOf(before as Price, kind)));
    }
    const ofHours = [0, 1, 3, 4, 5, 6, 9, 10, 23].map((hour) => rateOf(priceOf('deepseek-v4-pro', readOn + hour * 3_600_000), 'input'));
    expect(ofHours).toEqual(['0.66', '1.32', '1.32', '0.66', '0.66', '1.32', '1.32', '0.66', '0.66']);
  });
});
