import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MetadataDatabase } from '../metadata/database.ts';
import { openMigratedMetadata } from '../metadata/migrate.ts';
import { makeImportedPriceLookUp } from '../metadata/operator-prices.ts';
import type { OrganizationId } from '../model/ids.ts';
import { moneyOfUsd } from '../model/pricing/money.ts';
import { unreportedUsage } from '../model/record/usage.ts';
import { type OperatorPricePorts, type PriceImport, type PriceImportOrder, makePriceImport } from './import-prices.ts';
import { priceUsage } from '../pricing/cost.ts';
import { listedBook } from '../pricing/layers/books.ts';
import { noOrganizationPrices } from '../pricing/organization-prices.ts';
import type { PriceBook } from '../pricing/price-book.ts';
import { makeCostEstimate } from '../pricing/estimate/estimate-cost.ts';
import { holdImportedPrices } from '../pricing/held/imported-prices.ts';

let folder: string;
let database: MetadataDatabase;
let book: PriceBook;
let prices: OperatorPricePorts;
let ms = 0;
const now = (): number => Date.parse('2026-11-27T12:00:00Z');

/** As a gateway of its own sees the prices. */
function heldHere() {
  return holdImportedPrices({ lookUp: makeImportedPriceLookUp(database), monotonic: () => ms, observe: () => undefined });
}

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatelog-import-prices-'));
  database = await openMigratedMetadata(folder, 'core', now);
  const held = heldHere();
  book = listedBook(undefined, held.book);
  prices = makePriceImport({ database, book, imported: held, now });
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

async function imported(list: unknown, given: Partial<PriceImportOrder> = {}): Promise<PriceImport> {
  const done = await prices.import({ list, source: 'a test', zeroIsFree: false, replace: false, isTrial: false, ...given });
  if ('fault' in done) throw new Error(`${done.fault.path} ${done.fault.problem}`);
  return done;
}

const million = { ...unreportedUsage, promptTokens: 1_000_000, completionTokens: 0 };
const costOf = (model: string, providerId: string | undefined = 'openai', of = book, promptTokens = 1_000_000) =>
  priceUsage(
    { ...million, promptTokens },
    { provider: 'OPENAI', providerId, models: [model], at: now() },
    { book: of, organization: noOrganizationPrices },
  );

function many<Item>(length: number, item: (index: number) => Item): readonly Item[] {
  return Array.from({ length }, (_, index) => item(index));
}

const liteLlm = {
  sample_spec: { input_cost_per_token: 0 },
  'gpt-9-nova': {
    litellm_provider: 'openai',
    mode: 'chat',
    max_input_tokens: 900_000,
    input_cost_per_token: 1e-6,
    output_cost_per_token: 8e-6,
    cache_read_input_token_cost: 1e-7,
    input_cost_per_token_above_272k_tokens: 2e-6,
    output_cost_per_token_above_272k_tokens: 1.2e-5,
  },
  'gpt-4o': { litellm_provider: 'openai', input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5, cache_read_input_token_cost: 1.25e-6 },
  'gpt-9-free': { litellm_provider: 'openai', input_cost_per_token: 0, output_cost_per_token: 0 },
  'gemini/gemini-9-argon': { litellm_provider: 'gemini', input_cost_per_token: 3e-6, output_cost_per_token: 9e-6 },
  'dall-e-9': { litellm_provider: 'openai', output_cost_per_image: 0.04 },
  'somebody/llama': { litellm_provider: 'somebody', input_cost_per_token: 1e-6, output_cost_per_token: 1e-6 },
};

describe('an import', () => {
  it('says what it would change, and changes nothing before it is told to', async () => {
    const trial = await imported(liteLlm, { isTrial: true });
    expect(trial.changes.map(({ line, before }) => [line.provider, line.model, before])).toEqual([
      ['openai', 'gpt-9-nova', undefined],
      ['google', 'gemini-9-argon', undefined],
    ]);
    expect(trial).toMatchObject({ same: 1, leftOut: { zero: 1, provider: 1, unit: 1 } });
    expect(costOf('gpt-9-nova').amount).toBeNull();
    await imported(liteLlm);
    expect(costOf('gpt-9-nova')).toMatchObject({ amount: moneyOfUsd(2), reference: 'openai/gpt-9-nova' });
    expect(costOf('gpt-9-nova', 'openai', book, 272_000).amount).toBe(moneyOfUsd(0.272));
    expect(costOf('gpt-9-nova').applied).toContain('"table":"prices-file","source":"a test, imported 2026-11-27"');
  });

  it('two at once keep the prices of both', async () => {
    await Promise.all([imported([{ model: 'one', input: 1, output: 2 }]), imported([{ model: 'two', input: 3, output: 4 }])]);
    expect(prices.list().map(({ model }) => model)).toEqual(['one', 'two']);
  });

  it.each<readonly [string, unknown, string]>([
    ['more prices than any list has', many(20_001, (index) => ({ model: `m${index}`, input: 1 })), 'has 20001 prices'],
    ['steps without end', [{ model: 'm', input: 1, above: many(17, (index) => ({ input_tokens: index + 1, input: 2 })) }], 'has 17 steps'],
    ['a price that no number of money holds', { m: { litellm_provider: 'openai', input_cost_per_token: 1e300 } }, '"m" has a price above'],
    ['a price that is no number', JSON.parse('{"m":{"litellm_provider":"openai","input_cost_per_token":1e999}}'), '"m" has a price above'],
    [
      'steps by their names',
      {
        m: {
          litellm_provider: 'openai',
          ...Object.fromEntries(many(17, (index) => [`input_cost_per_token_above_${index}k_tokens`, 1])),
          input_cost_per_token: 1,
        },
      },
      'more than 16 steps',
    ],
    [
      'tiers without end',
      [
        {
          id: 'openai',
          models: [
            { id: 'm', match: { equals: 'm' }, prices: { input_mtok: { base: 1, tiers: many(17, (start) => ({ start, price: 1 })) } } },
          ],
        },
      ],
      'more than 16 tiers',
    ],
  ])('%s is refused, and nothing is stored', async (_, list, sentence) => {
    const done = await prices.import({ list, source: 'a test', zeroIsFree: false, replace: false, isTrial: false });
    expect('fault' in done && `${done.fault.path} ${done.fault.problem}`).toContain(sentence);
    expect(prices.list()).toEqual([]);
  });

  it('lists that together are more than is kept are refused', async () => {
    await imported(many(20_000, (index) => ({ model: `m${index}`, input: 1 })));
    await expect(imported([{ model: 'more', input: 1 }])).rejects.toThrow('makes 20001 imported prices in all');
    expect(prices.list()).toHaveLength(20_000);
  });

  it('takes a listed 0 as a price only when told to', async () => {
    await imported(liteLlm);
    expect(costOf('gpt-9-free').amount).toBeNull();
    await imported(liteLlm, { zeroIsFree: true });
    expect(costOf('gpt-9-free').amount).toBe(0n);
  });

  it.each<readonly [string, unknown]>([
    [
      'LiteLLM',
      {
        'gpt-9': {
          litellm_provider: 'openai',
          input_cost_per_token: 1e-6,
          output_cost_per_token: 2e-6,
          input_cost_per_token_above_200k_tokens: 0,
          output_cost_per_token_above_200k_tokens: 3e-6,
          input_cost_per_token_above_500k_tokens: 0,
        },
      },
    ],
    [
      'our own',
      [
        {
          model: 'gpt-9',
          provider: 'openai',
          input: 1,
          output: 2,
          above: [
            { input_tokens: 200_000, input: 0, output: 3 },
            { input_tokens: 500_000, input: 0 },
          ],
        },
      ],
    ],
    [
      'genai-prices',
      [
        {
          id: 'openai',
          models: [
            {
              id: 'gpt-9',
              match: { equals: 'gpt-9' },
              prices: {
                input_mtok: {
                  base: 1,
                  tiers: [
                    { start: 200_000, price: 0 },
                    { start: 500_000, price: 0 },
                  ],
                },
                output_mtok: { base: 2, tiers: [{ start: 200_000, price: 3 }] },
              },
            },
          ],
        },
      ],
    ],
  ])('takes a 0 above a step of the form of %s as a price only when told to', async (_form, list) => {
    await imported(list);
    expect(costOf('gpt-9').amount).toBe(moneyOfUsd(1));
    expect(prices.list()[0]?.above).toEqual([{ inputTokens: 200_000, rates: { output: 3 } }]);
    await imported(list, { zeroIsFree: true });
    expect(costOf('gpt-9').amount).toBe(0n);
  });

  it('takes over what differs alone, so that a correction reaches the rest, and adds to what is there', async () => {
    await imported([{ model: 'house-7b', input: 3, output: 6 }]);
    const more = await imported([
      { model: 'gpt-6.2-sol', provider: 'openai', input: 2, output: 10, cache_read: 0.1 },
      { model: 'gpt-4o', provider: 'openai', input: 1, output: 2, valid_from: '2026-01-01', source: 'our contract of 2026' },
    ]);
    expect(more.changes.map(({ line, before }) => [line.model, line.source, before?.input])).toEqual([
      ['gpt-4o', 'our contract of 2026', 2.5],
    ]);
    expect([more.same, more.total]).toEqual([1, 2]);
    expect([costOf('gpt-4o').amount, costOf('house-7b').amount]).toEqual([moneyOfUsd(1), moneyOfUsd(3)]);
    expect(costOf('house-7b', undefined).amount).toBe(moneyOfUsd(3));
    await imported([], { replace: true });
    expect(prices.list()).toEqual([]);
    expect(costOf('gpt-4o').amount).toBe(moneyOfUsd(2.5));
  });

  it('reads the list of genai-prices with its dates, steps and names', async () => {
    const models = [
      {
        id: 'gpt-9-nova',
        match: { or: [{ equals: 'gpt-9-nova' }, { starts_with: 'gpt-9-nova-preview' }] },
        prices: [
          { prices: { input_mtok: 1, output_mtok: 2 } },
          {
            constraint: { start_date: '2026-11-01' },
            prices: { input_mtok: { base: 4, tiers: [{ start: 271_999, price: 8 }] }, output_mtok: 2 },
          },
        ],
      },
    ];
    await imported([{ id: 'openai', models }]);
    expect(costOf('gpt-9-nova', 'openai', book, 272_000).amount).toBe(moneyOfUsd(4 * 0.272));
    expect(costOf('gpt-9-nova-preview-2', 'openai', book, 272_001).amount).toBe(moneyOfUsd(8 * 0.272001));
  });

  it.each([
    [[{ model: 'a', provider: 'nobody', input: 1 }], '[0].provider is no provider'],
    [[{ model: 'a', inptu: 1 }], '[0].inptu is no price; the kinds are input,'],
    [
      [
        { model: 'a', input: 1 },
        { model: '*b', input: 1 },
      ],
      '[1].model is no name',
    ],
    [[{ model: 'a', input: 1, above: [{ input: 2 }] }], '[0].above[0].input_tokens is no whole number'],
    [[{ model: 'a', input: -1 }], '[0].input is no number of US dollars'],
    [[{ model: 'a', valid_from: '2026-02-31', input: 1 }], '[0].valid_from is no date'],
    [7, ' is no price list'],
  ])('of %j says where it is wrong', async (list, sentence) => {
    await expect(imported(list)).rejects.toThrow(sentence);
  });
});

describe('another process', () => {
  it('has the prices within seconds, for its budgets too', async () => {
    const there = heldHere();
    const gateway = listedBook(undefined, there.book);
    const reserve = makeCostEstimate(100, () => ({ book: gateway, organization: noOrganizationPrices }));
    const body = Buffer.from(JSON.stringify({ model: 'house-7b', messages: [], max_tokens: 1000 }));
    const call = {
      method: 'POST',
      provider: 'openai',
      path: '/v1/chat/completions',
      body,
      found: undefined,
      modelOverride: undefined,
      at: now(),
    };
    const estimate = () => reserve('01890000-0000-7000-8000-000000000001' as OrganizationId, call);
    expect(estimate()).toBe(moneyOfUsd(1));
    await imported([{ model: 'house-7b', input: 0.5, output: 2 }]);
    ms += 2001;
    expect(costOf('house-7b', 'openai', gateway).amount).toBe(moneyOfUsd(0.5));
    expect(estimate()).toBe(moneyOfUsd((body.length * 0.5 + 1000 * 2) / 1e6));
  });
});
