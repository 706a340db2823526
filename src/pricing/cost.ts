import { moneyOfUnits, zeroMoney } from '../model/pricing/money.ts';
import type { Money } from '../model/pricing/money.ts';
import type { CostSource } from '../model/record/request-record.ts';
import type { Usage } from '../model/record/usage.ts';
import type { RateKind } from '../model/vocabulary/prices.ts';
import { appliedPriceText } from './applied-price.ts';
import { candidatePrices, type PriceQuery, type Prices } from './look-up.ts';
import { type Price, rateFor } from './price.ts';

/** One line of a bill. */
export interface CostLine {
  readonly kind: RateKind;
  /** Tokens of this kind, no token on two lines; seconds of `audio_seconds`; searches; for `request`, 1. */
  readonly tokens: number;
  /** US dollars for a million of them. */
  readonly pricePerMillion: Money;
  /** Rounded half up to 10⁻¹² USD, which only prices with more than six decimals need. */
  readonly amount: Money;
}

/** What a usage costs and why. */
export interface PricedUsage {
  /** Exactly the sum of the lines; null when it is not known. */
  readonly amount: Money | null;
  readonly source: Extract<CostSource, 'price-book' | 'none'>;
  /** Where in its table the price stands, such as `openai/gpt-4o`; empty without a price. */
  readonly reference: string;
  /** The price itself, to be kept with the record; empty without one. */
  readonly applied: string;
  /** Date (UTC) from which that price holds; empty when its table gives none. */
  readonly validFrom: string;
  readonly lines: readonly CostLine[];
}

type Count = Exclude<keyof Usage, 'estimated' | 'raw'>;

/** A part of a side that may have a price of its own. */
interface Part {
  readonly count: Count;
  readonly kind: RateKind;
  /** Tokens of the part that another line has already: those billed as another kind, or those that another count takes along. */
  readonly without?: { readonly kind: RateKind } | { readonly count: Count };
}

interface Side {
  readonly whole: Count;
  readonly kind: RateKind;
  /** In the order in which they are taken out of the whole. */
  readonly parts: readonly Part[];
}

const sides: readonly Side[] = [
  {
    whole: 'promptTokens',
    kind: 'input',
    parts: [
      { count: 'promptCacheReadAudioTokens', kind: 'cache_read_audio' },
      { count: 'promptCacheReadTokens', kind: 'cache_read', without: { kind: 'cache_read_audio' } },
      { count: 'promptCacheWriteHourTokens', kind: 'cache_write_1h' },
      { count: 'promptCacheWriteTokens', kind: 'cache_write', without: { kind: 'cache_write_1h' } },
      { count: 'promptAudioTokens', kind: 'input_audio', without: { count: 'promptCacheReadAudioTokens' } },
      { count: 'promptImageTokens', kind: 'input_image' },
    ],
  },
  {
    whole: 'completionTokens',
    kind: 'output',
    parts: [
      { count: 'completionAudioTokens', kind: 'output_audio' },
      { count: 'completionImageTokens', kind: 'output_image' },
      { count: 'reasoningTokens', kind: 'reasoning' },
    ],
  },
];

/** Fees beside the tokens. A table that has none leaves them out of the cost, which {@link searchesLeftOut} tells. */
const searches: readonly Part[] = [
  { count: 'webSearches', kind: 'web_search' },
  { count: 'fileSearches', kind: 'file_search' },
];

/** How many searches a call made for which its price has no fee. */
export function searchesLeftOut(usage: Usage, { rates }: Price): number {
  return searches.reduce((sum, { count, kind }) => sum + (rates.has(kind) ? 0 : (countOf(usage, count) ?? 0)), 0);
}

/** One of these must be known for there to be a price. */
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
  for (const price of candidatePrices(query, prices)) {
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

/** True when a side's tokens, or what is billed in their place, are known. */
export function isBillable(usage: Usage): boolean {
  return billedCounts.some((count) => countOf(usage, count) !== null);
}

/** What the lines of a bill come to. */
export function sumOf(lines: readonly CostLine[]): Money {
  return lines.reduce((sum, line) => moneyOfUnits(sum + line.amount), zeroMoney);
}

/** The bill for a usage at a price. @returns undefined when a used kind has no price. */
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

/** What is billed by the token of a call whose recording is billed by the second: not the recording, and nothing where time is all that costs. */
function billedInTokens(usage: Usage, rates: Price['rates']): Usage {
  if (!rates.has('input') && !rates.has('output')) return { ...usage, promptTokens: null, completionTokens: null };
  const written = (countOf(usage, 'promptTokens') ?? 0) - (countOf(usage, 'promptAudioTokens') ?? 0);
  return { ...usage, promptTokens: Math.max(0, written), promptAudioTokens: null };
}

function inputTokensOf(usage: Usage): number {
  return countOf(usage, 'promptTokens') ?? 0;
}

interface Quantity {
  readonly kind: RateKind;
  readonly tokens: number;
}

function splitSide(usage: Usage, side: Side, rates: Price['rates']): Quantity[] {
  let rest = countOf(usage, side.whole) ?? 0;
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
  return taken.find(({ kind }) => kind === without.kind)?.tokens ?? 0;
}

function amountOf(tokens: number, pricePerMillion: Money): Money {
  return moneyOfUnits((BigInt(tokens) * pricePerMillion + 500_000n) / 1_000_000n);
}

/** A count of a usage; one that is not a whole number from 0, which only a usage made elsewhere could hold, is an unknown one. */
function countOf(usage: Usage, count: Count): number | null {
  const value = usage[count];
  return value !== null && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
