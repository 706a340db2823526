import { calcPrice, findProvider } from '@pydantic/genai-prices';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moneyOfUnits, moneyText, parseMoney, usdOf } from '../model/pricing/money.ts';
import type { Money } from '../model/pricing/money.ts';
import { unreportedUsage } from '../model/record/usage.ts';
import type { Usage } from '../model/record/usage.ts';
import type { RateKind } from '../model/vocabulary/prices.ts';
import { readAppliedPrice } from './applied-price.ts';
import { billLines, priceUsage } from './cost.ts';
import type { Price } from './tables/price.ts';
import { listedPrices } from './testing/prices.ts';
import type { PricedUsage } from './cost.ts';
import { assert } from '../../test/support/seeded.ts';

const at = Date.parse('2026-01-15T12:00:00Z');
const usageOf = (counts: Partial<Usage>): Usage => ({ ...unreportedUsage, ...counts });
const openAi = (model: string, counts: Partial<Usage>, time = at): PricedUsage =>
  priceUsage(usageOf(counts), { provider: 'OPENAI', providerId: 'openai', models: [model], at: time }, listedPrices);
const usd = (money: Money | null): string | null => (money === null ? null : moneyText(money));

interface Golden {
  readonly model: string;
  readonly providerId?: string;
  readonly time?: string;
  readonly counts: Partial<Usage>;
  /** The bill, worked out by hand from the provider's list: tokens, US dollars per million, US dollars. */
  readonly bill: readonly (readonly [kind: string, tokens: number, perMillion: string, usd: string])[];
  readonly total: string;
}

/** List prices of the providers' own pages, US dollars per million tokens. */
const golden: readonly Golden[] = [
  {
    // gpt-4o: input 2.50, cached input 1.25, output 10.00.
    model: 'gpt-4o',
    counts: { promptTokens: 1000, completionTokens: 500 },
    bill: [
      ['input', 1000, '2.5', '0.0025'],
      ['output', 500, '10', '0.005'],
    ],
    total: '0.0075',
  },
  {
    model: 'gpt-4o-2024-08-06',
    counts: { promptTokens: 1830, promptCacheReadTokens: 1664, completionTokens: 17, reasoningTokens: 0, promptAudioTokens: 0 },
    bill: [
      ['input', 166, '2.5', '0.000415'],
      ['cache_read', 1664, '1.25', '0.00208'],
      ['output', 17, '10', '0.00017'],
    ],
    total: '0.002665',
  },
  {
    // gpt-4o-mini: input 0.15, cached input 0.075, output 0.60.
    model: 'gpt-4o-mini',
    counts: { promptTokens: 7, promptCacheReadTokens: 3, completionTokens: 1 },
    bill: [
      ['input', 4, '0.15', '0.0000006'],
      ['cache_read', 3, '0.075', '0.000000225'],
      ['output', 1, '0.6', '0.0000006'],
    ],
    total: '0.000001425',
  },
  {
    // o3: 10.00 and 40.00 until 2025-06-10, then 2.00 and 8.00. Reasoning is output and has no price of its own.
    model: 'o3',
    time: '2025-06-09T23:59:59.999Z',
    counts: { promptTokens: 100, completionTokens: 900, reasoningTokens: 800 },
    bill: [
      ['input', 100, '10', '0.001'],
      ['output', 900, '40', '0.036'],
    ],
    total: '0.037',
  },
  {
    model: 'o3',
    time: '2025-06-10T00:00:00.000Z',
    counts: { promptTokens: 100, completionTokens: 900, reasoningTokens: 800 },
    bill: [
      ['input', 100, '2', '0.0002'],
      ['output', 900, '8', '0.0072'],
    ],
    total: '0.0074',
  },
  {
    // gpt-audio: text 2.50 and 10.00, audio 32.00 and 64.00.
    model: 'gpt-audio',
    counts: { promptTokens: 150, promptAudioTokens: 100, completionTokens: 60, completionAudioTokens: 50 },
    bill: [
      ['input', 50, '2.5', '0.000125'],
      ['input_audio', 100, '32', '0.0032'],
      ['output', 10, '10', '0.0001'],
      ['output_audio', 50, '64', '0.0032'],
    ],
    total: '0.006625',
  },
  {
    // gpt-5.4: 2.50, cached 0.25, output 15.00; above 272,000 input tokens 5.00, 0.50 and 22.50 for all of them.
    model: 'gpt-5.4',
    counts: { promptTokens: 272_000, promptCacheReadTokens: 72_000, completionTokens: 1000 },
    bill: [
      ['input', 200_000, '2.5', '0.5'],
      ['cache_read', 72_000, '0.25', '0.018'],
      ['output', 1000, '15', '0.015'],
    ],
    total: '0.533',
  },
  {
    model: 'gpt-5.4',
    counts: { promptTokens: 272_001, promptCacheReadTokens: 72_000, completionTokens: 1000 },
    bill: [
      ['input', 200_001, '5', '1.000005'],
      ['cache_read', 72_000, '0.5', '0.036'],
      ['output', 1000, '22.5', '0.0225'],
    ],
    total: '1.058505',
  },
  {
    // gpt-5.5: 5.00, cached 0.50, output 30.00; above 272,000 twice the input and 1.5 times the output.
    model: 'gpt-5.5',
    counts: { promptTokens: 272_000, completionTokens: 1000 },
    bill: [
      ['input', 272_000, '5', '1.36'],
      ['output', 1000, '30', '0.03'],
    ],
    total: '1.39',
  },
  {
    model: 'gpt-5.5',
    counts: { promptTokens: 272_001, completionTokens: 1000 },
    bill: [
      ['input', 272_001, '10', '2.72001'],
      ['output', 1000, '45', '0.045'],
    ],
    total: '2.76501',
  },
  {
    // gpt-5.6-sol of OpenAI.
    model: 'gpt-5.6-sol',
    counts: { promptTokens: 272_000, completionTokens: 1000 },
    bill: [
      ['input', 272_000, '5', '1.36'],
      ['output', 1000, '30', '0.03'],
    ],
    total: '1.39',
  },
  {
    model: 'gpt-5.6-sol',
    counts: { promptTokens: 272_001, completionTokens: 1000 },
    bill: [
      ['input', 272_001, '10', '2.72001'],
      ['output', 1000, '45', '0.045'],
    ],
    total: '2.76501',
  },
  {
    // claude-sonnet-4: input 3.00, cache write 3.75, cache read 0.30, output 15.00.
    model: 'claude-sonnet-4-20250514',
    providerId: 'anthropic',
    counts: { promptTokens: 5000, promptCacheReadTokens: 1000, promptCacheWriteTokens: 3000, completionTokens: 200 },
    bill: [
      ['input', 1000, '3', '0.003'],
      ['cache_read', 1000, '0.3', '0.0003'],
      ['cache_write', 3000, '3.75', '0.01125'],
      ['output', 200, '15', '0.003'],
    ],
    total: '0.01755',
  },
  {
    // text-embedding-3-small: 0.02, no output.
    model: 'text-embedding-3-small',
    counts: { promptTokens: 8 },
    bill: [['input', 8, '0.02', '0.00000016']],
    total: '0.00000016',
  },
  {
    // sonar: 1.00 and 1.00, and 12.00 per thousand requests.
    model: 'sonar',
    providerId: 'perplexity',
    counts: { promptTokens: 10, completionTokens: 20 },
    bill: [
      ['input', 10, '1', '0.00001'],
      ['output', 20, '1', '0.00002'],
      ['request', 1, '12000', '0.012'],
    ],
    total: '0.01203',
  },
  {
    // echo: the documented test prices 1, cached 0.10, 2.
    model: 'echo/anything',
    providerId: 'echo',
    counts: { promptTokens: 12, promptCacheReadTokens: 4, promptCacheWriteTokens: 2, completionTokens: 5 },
    bill: [
      ['input', 8, '1', '0.000008'],
      ['cache_read', 4, '0.1', '0.0000004'],
      ['output', 5, '2', '0.00001'],
    ],
    total: '0.0000184',
  },
];

describe('list prices', () => {
  it.each(golden)('$model $counts: $total USD', ({ model, providerId = 'openai', time, counts, bill, total }) => {
    const priced = priceUsage(
      usageOf(counts),
      { provider: 'X', providerId, models: [model], at: time === undefined ? at : Date.parse(time) },
      listedPrices,
    );
    expect(priced.lines).toEqual(
      bill.map(([kind, tokens, perMillion, amount]) => ({
        kind,
        tokens,
        pricePerMillion: parseMoney(perMillion),
        amount: parseMoney(amount),
      })),
    );
    expect(priced.amount).toBe(parseMoney(total));
    expect(priced.source).toBe('price-book');
  });
});

describe('the reference', () => {
  it.each([
    ['openai', 'gpt-4o-2024-08-06', 'openai/gpt-4o', ''],
    ['openai', 'o3', 'openai/o3', '2025-06-10'],
    ['echo', '', 'echo/*', '1970-01-01'],
  ])('of %s %s is %s, valid from "%s"', (providerId, model, reference, validFrom) => {
    expect(priceUsage(usageOf({ promptTokens: 1 }), { provider: 'X', providerId, models: [model], at }, listedPrices)).toMatchObject({
      reference,
      validFrom,
    });
  });
});

/** A dollar for a million of each kind. */
const dollarFor = (...kinds: readonly RateKind[]): Price => ({
  table: 'organization',
  source: '',
  reference: 'voxtral',
  validFrom: '',
  rates: new Map(kinds.map((kind) => [kind, { perMillion: moneyOfUnits(10n ** 12n), steps: [] }])),
  isFree: false,
  contextWindow: undefined,
});

describe('a recording that is counted in seconds and in tokens', () => {
  const counts = { promptTokens: 2629, promptAudioTokens: 2625, completionTokens: 635, audioSeconds: 203 };
  const bill = (price: Price) => billLines(usageOf(counts), price)?.map(({ kind, tokens }) => [kind, tokens]);

  it('is billed by the second, and what was written by the token', () => {
    expect(bill(dollarFor('input', 'output', 'input_audio', 'audio_seconds'))).toEqual([
      ['input', 4],
      ['output', 635],
      ['audio_seconds', 203],
    ]);
  });

  it('is all that is billed where the price is one of time alone', () => {
    expect(bill(dollarFor('audio_seconds'))).toEqual([['audio_seconds', 203]]);
  });

  it('has no price where its seconds have none', () => {
    expect(bill(dollarFor('input', 'output'))).toBeUndefined();
  });
});

describe('no amount, which is not zero,', () => {
  const unpriced = { amount: null, source: 'none', reference: '', applied: '', validFrom: '', lines: [] };

  it.each([
    { case: 'when no tokens were reported', providerId: 'openai', model: 'gpt-4o', counts: {} },
    { case: 'when only a part was reported', providerId: 'openai', model: 'gpt-4o', counts: { promptCacheReadTokens: 5 } },
    { case: 'for an unknown model', providerId: 'openai', model: 'gpt-of-next-year', counts: { promptTokens: 1 } },
    { case: 'for no model', providerId: 'openai', model: '', counts: { promptTokens: 1 } },
    { case: 'for an absurd model', providerId: 'openai', model: 'gpt-4o'.repeat(1000), counts: { promptTokens: 1 } },
    { case: 'for an unknown provider', providerId: 'nobody', model: 'gpt-4o', counts: { promptTokens: 1 } },
    { case: 'for a provider outside the price book', providerId: undefined, model: 'gpt-4o', counts: { promptTokens: 1 } },
    { case: 'for tokens that have no price', providerId: 'openai', model: 'whisper-1', counts: { promptTokens: 1 } },
    { case: 'for counts that are none', providerId: 'openai', model: 'gpt-4o', counts: { promptTokens: -1, completionTokens: 0.5 } },
    { case: 'at a time that is none', providerId: 'openai', model: 'o3', counts: { promptTokens: 1 }, time: Number.NaN },
  ])('$case', ({ providerId, model, counts, time = at }) => {
    expect(priceUsage(usageOf(counts), { provider: 'X', providerId, models: [model], at: time }, listedPrices)).toEqual(unpriced);
  });
});

describe('an amount of zero', () => {
  it('is what zero tokens cost', () => {
    expect(openAi('gpt-4o', { promptTokens: 0, completionTokens: 0 })).toMatchObject({ amount: 0n, source: 'price-book', lines: [] });
  });

  it('is what a model costs that is listed as free', () => {
    expect(openAi('omni-moderation-latest', { promptTokens: 50 })).toMatchObject({ amount: 0n, source: 'price-book', lines: [] });
  });
});

describe('one side alone', () => {
  it('is priced alone', () => {
    expect(usd(openAi('gpt-4o', { completionTokens: 100 }).amount)).toBe('0.001000000000');
  });
});

describe('counts that contradict each other', () => {
  it.each([
    { case: 'more cached than input', counts: { promptTokens: 10, promptCacheReadTokens: 30 }, kinds: [['cache_read', 10]] },
    {
      case: 'cached audio counted as both',
      counts: { promptTokens: 10, promptCacheReadTokens: 8, promptAudioTokens: 6 },
      kinds: [
        ['cache_read', 8],
        ['input_audio', 2],
      ],
    },
    { case: 'more audio than output', counts: { completionTokens: 4, completionAudioTokens: 9 }, kinds: [['output_audio', 4]] },
  ])('keep the total: $case', ({ counts, kinds }) => {
    expect(openAi('gpt-realtime', counts).lines.map(({ kind, tokens }) => [kind, tokens])).toEqual(kinds);
  });
});

describe('whatever the usage', () => {
  const count = fc.option(fc.oneof(fc.nat(), fc.double(), fc.maxSafeInteger()), { nil: null });
  const anyUsage = fc.record({
    promptTokens: count,
    completionTokens: count,
    promptCacheReadTokens: count,
    promptCacheWriteTokens: count,
    promptAudioTokens: count,
    completionAudioTokens: count,
    reasoningTokens: count,
  });
  const model = fc.oneof(fc.constantFrom('gpt-4o', 'gpt-5.4', 'gpt-realtime', 'o3', 'sonar'), fc.string());

  it('the lines add up to the amount, and nothing throws', () => {
    assert(
      fc.property(anyUsage, model, fc.oneof(fc.double(), fc.integer()), (counts, name, time) => {
        const { amount, lines } = openAi(name, counts, time);
        expect(lines.reduce((sum, line) => sum + line.amount, 0n)).toBe(amount ?? 0n);
        expect(lines.every((line) => line.tokens > 0 && line.amount >= 0n)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('the price that is kept makes the same bill again', () => {
    assert(
      fc.property(anyUsage, model, fc.constantFrom('', 'flex', 'priority'), (counts, name, serviceTier) => {
        const query = { provider: 'OPENAI', providerId: 'openai', models: [name], at, serviceTier };
        const usage = usageOf(counts);
        const { source, applied, reference, lines } = priceUsage(usage, query, listedPrices);
        const kept = readAppliedPrice(applied, reference);
        expect(kept === undefined).toBe(source === 'none');
        expect(kept === undefined ? [] : billLines(usage, kept)).toEqual(lines);
      }),
      { numRuns: 500 },
    );
  });

  it('agrees with the price library on usages that it accepts, for every model of the provider', () => {
    const models =
      findProvider({ providerId: 'openai' })?.models.filter(({ prices }) => Array.isArray(prices) || 'input_mtok' in prices) ?? [];
    const consistent = fc.record({ input: fc.nat(400_000), cached: fc.nat(100), written: fc.nat(100), output: fc.nat(10_000) });
    assert(
      fc.property(fc.constantFrom(...models.map(({ id }) => id)), consistent, (name, { input, cached, written, output }) => {
        const promptTokens = input + 200;
        const tokens = { input_tokens: promptTokens, cache_read_tokens: cached, cache_write_tokens: written, output_tokens: output };
        const expected = calcPrice(tokens, name, { providerId: 'openai', timestamp: new Date(at) });
        const counts = { promptTokens, promptCacheReadTokens: cached, promptCacheWriteTokens: written };
        const hasOutput = expected?.model_price['output_mtok'] !== undefined;
        const { amount } = openAi(name, hasOutput ? { ...counts, completionTokens: output } : counts);
        const difference = (amount === null ? 0 : usdOf(amount)) - (expected?.total_price ?? 0);
        expect(amount === null).toBe(expected === null);
        expect(Math.abs(difference)).toBeLessThan(1e-9);
      }),
      { numRuns: 300 },
    );
  });
});
