import { moneyOfUnits, zeroMoney } from '../model/pricing/money.ts';
import type { Money } from '../model/pricing/money.ts';
import type { CostSource } from '../model/record/request-record.ts';
import type { Usage } from '../model/record/usage.ts';
import type { RateKind } from '../model/vocabulary/prices.ts';
import { appliedPriceText } from './applied-price.ts';
import { candidatePrices, type PriceQuery, type Prices } from './look-up.ts';
import { type Price, rateFor } from './tables/price.ts';

export interface CostLine {
  readonly kind: RateKind;
  /** Tokens of this kind, each token on one line only; seconds of `audio_seconds`; searches; 1 for `request`. */
  readonly tokens: number;
  /** US dollars per million. */
  readonly pricePerMillion: Money;
  /** Rounded half up to 10⁻¹² USD; only prices with more than six decimals need it. */
  readonly amount: Money;
}

export interface PricedUsage {
  /** Exactly the sum of the lines; null when unknown. */
  readonly amount: Money | null;
  readonly source: Extract<CostSource, 'price-book' | 'none'>;
  /** The price's entry in its table, such as `openai/gpt-4o`; empty without a price. */
  readonly reference: string;
  /** The price as stored with the record; empty without one. */
  readonly applied: string;
  /** Date (UTC) from which the price is valid; empty when its table has none. */
  readonly validFrom: string;
  readonly lines: readonly CostLine[];
}

type Count = Exclude<keyof Usage, 'estimated' | 'geo' | 'raw'>;

/** A part of a side with a price of its own. */
interface Part {
  readonly count: Count;
  readonly kind: RateKind;
  /** Tokens of the part that another line already bills. */
  readonly without?: { readonly kinds: readonly RateKind[] } | { readonly count: Count };
}

interface Side {
  readonly total: Count;
  readonly kind: RateKind;
  /** In the order in which they are subtracted from the whole. */
  readonly parts: readonly Part[];
}

const sides: readonly Side[] = [
  {
    total: 'promptTokens',
    kind: 'input',
    parts: [
      { count: 'promptCacheReadAudioTokens', kind: 'cache_read_audio' },
      { count: 'promptCacheReadTokens', kind: 'cache_read', without: { kinds: ['cache_read_audio'] } },
      { count: 'promptCacheWriteHourTokens', kind: 'cache_write_1h' },
      { count: 'promptCacheWriteHalfDayTokens', kind: 'cache_write_12h' },
      { count: 'promptCacheWriteTokens', kind: 'cache_write', without: { kinds: ['cache_write_1h', 'cache_write_12h'] } },
      { count: 'promptAudioTokens', kind: 'input_audio', without: { count: 'promptCacheReadAudioTokens' } },
      { count: 'promptImageTokens', kind: 'input_image' },
    ],
  },
  {
    total: 'completionTokens',
    kind: 'output',
    parts: [
      { count: 'completionAudioTokens', kind: 'output_audio' },
      { count: 'completionImageTokens', kind: 'output_image' },
      { count: 'reasoningTokens', kind: 'reasoning' },
    ],
  },
];

/** Fees beside tokens. A table without them leaves them out of the cost; {@link searchesLeftOut} counts those. */
const searches: readonly Part[] = [
  { count: 'webSearches', kind: 'web_search' },
  { count: 'fileSearches', kind: 'file_search' },
];

/** Searches of a call whose price has no fee for them. */
export function searchesLeftOut(usage: Usage, { rates }: Price): number {
  return searches.reduce((sum, { count, kind }) => sum + (rates.has(kind) ? 0 : (countOf(usage, count) ?? 0)), 0);
}

/** A price needs at least one of these counts. */
const billedCounts = ['promptTokens', 'completionTokens', 'audioSeconds'] as const;

const unpriced: PricedUsage = { amount: null, source: 'none', reference: '', applied: '', validFrom: '', lines: [] };

/**
 * Prices a usage with the price of its model at its time, exactly, without floating point: the first of the candidates that has a price for
 * every kind of token that was used. Never throws.
 *
 * The amount is null, and not zero, when neither side's tokens were reported, when no table knows provider or model, and when none has a price
 * for a kind of token that was used. If one side alone was reported, that side alone is priced.
 *
 * Counts that contradict each other (more cached tokens than input tokens) are clamped: the totals stay as the provider gave them, the parts
 * are taken out of them one after the other, cached ones first, as far as they go. So nothing is billed twice; cached audio that is reported
 * as such, or that overlaps because there is no room for both, is billed as cached.
 */
export function priceUsage(usage: Usage, query: PriceQuery, prices: Prices): PricedUsage {
  if (!isBillable(usage)) return unpriced;
  for (const price of candidatePrices({ ...query, geo: usage.geo }, prices)) {
    const lines = billLines(usage, price);
    if (lines === undefined) continue;
    const { reference, validFrom } = price;
    return {
      amount: sumOf(lines),
      source: 'price-book',
      reference,
      applied: appliedPriceText(price, inputTokensOf(usage)),
      validFrom,
      lines,
    };
  }
  return unpriced;
}

/** Whether a side's tokens, or counts billed in their place, are known. */
export function isBillable(usage: Usage): boolean {
  return billedCounts.some((count) => countOf(usage, count) !== null);
}

export function sumOf(lines: readonly CostLine[]): Money {
  return lines.reduce((sum, line) => moneyOfUnits(sum + line.amount), zeroMoney);
}

/** The lines of a bill. @returns undefined when a used kind has no price. */
export function billLines(usage: Usage, { rates, isFree }: Price): CostLine[] | undefined {
  if (isFree) return [];
  const inputTokens = inputTokensOf(usage);
  const audioSeconds = countOf(usage, 'audioSeconds') ?? 0;
  const inTokens = audioSeconds === 0 ? usage : billedInTokens(usage, rates);
  const quantities = sides.flatMap((side) => splitSide(inTokens, side, rates));
  quantities.push({ kind: 'audio_seconds', tokens: audioSeconds });
  if (rates.has('request')) quantities.push({ kind: 'request', tokens: 1 });
  for (const { count, kind } of searches) if (rates.has(kind)) quantities.push({ kind, tokens: countOf(usage, count) ?? 0 });
  const lines: CostLine[] = [];
  for (const { kind, tokens } of quantities) {
    if (tokens === 0) continue;
    const rate = rates.get(kind);
    if (rate === undefined) return undefined;
    const pricePerMillion = rateFor(rate, inputTokens);
    lines.push({ kind, tokens, pricePerMillion, amount: amountOf(tokens, pricePerMillion) });
  }
  return lines;
}

/**
 * Usage that is billed by the token when the recording is billed by the second: everything but the recording, or nothing where only time
 * is billed.
 */
function billedInTokens(usage: Usage, rates: Price['rates']): Usage {
  if (!rates.has('input') && !rates.has('output')) return { ...usage, promptTokens: null, completionTokens: null };
  const textTokens = (countOf(usage, 'promptTokens') ?? 0) - (countOf(usage, 'promptAudioTokens') ?? 0);
  return { ...usage, promptTokens: Math.max(0, textTokens), promptAudioTokens: null };
}

function inputTokensOf(usage: Usage): number {
  return countOf(usage, 'promptTokens') ?? 0;
}

interface Quantity {
  readonly kind: RateKind;
  readonly tokens: number;
}

function splitSide(usage: Usage, side: Side, rates: Price['rates']): Quantity[] {
  let rest = countOf(usage, side.total) ?? 0;
  const parts: Quantity[] = [];
  for (const { count, kind, without } of side.parts) {
    if (!rates.has(kind)) continue;
    const reported = countOf(usage, count) ?? 0;
    if (reported === 0) continue;
    const tokens = Math.min(Math.max(0, reported - elsewhere(usage, without, parts)), rest);
    rest -= tokens;
    parts.push({ kind, tokens });
  }
  return [{ kind: side.kind, tokens: rest }, ...parts];
}

function elsewhere(usage: Usage, without: Part['without'], taken: readonly Quantity[]): number {
  if (without === undefined) return 0;
  if ('count' in without) return countOf(usage, without.count) ?? 0;
  return taken.reduce((sum, { kind, tokens }) => sum + (without.kinds.includes(kind) ? tokens : 0), 0);
}

function amountOf(tokens: number, pricePerMillion: Money): Money {
  return moneyOfUnits((BigInt(tokens) * pricePerMillion + 500_000n) / 1_000_000n);
}

/** A count of a usage. Anything but a non-negative integer, which only foreign usage could have, counts as unknown. */
function countOf(usage: Usage, count: Count): number | null {
  const value = usage[count];
  return value !== null && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
