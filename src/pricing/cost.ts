import { moneyOfUnits, zeroMoney } from '../model/money.ts';
import type { Money } from '../model/money.ts';
import type { CostSource } from '../model/request-record.ts';
import type { Usage } from '../model/usage.ts';
import { lookUpPrice } from './price-book.ts';
import type { Price, PriceQuery, Rate, RateKind } from './price-book.ts';

/** One line of a bill. */
export interface CostLine {
  readonly kind: RateKind;
  /** Tokens of this kind, no token on two lines; for `request`, 1. */
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
  /** Where in the price book, such as `openai/gpt-4o`; empty without a price. */
  readonly reference: string;
  /** Date (UTC) from which that price holds; empty when the book gives none. */
  readonly validFrom: string;
  readonly lines: readonly CostLine[];
}

type Count = Exclude<keyof Usage, 'estimated' | 'raw'>;

interface Side {
  readonly whole: Count;
  readonly kind: RateKind;
  /** Parts of the whole that may have a price of their own, in the order in which they are taken out of it. */
  readonly parts: readonly { readonly count: Count; readonly kind: RateKind }[];
}

const sides: readonly Side[] = [
  {
    whole: 'promptTokens',
    kind: 'input',
    parts: [
      { count: 'promptCacheReadTokens', kind: 'cache_read' },
      { count: 'promptCacheWriteTokens', kind: 'cache_write' },
      { count: 'promptAudioTokens', kind: 'input_audio' },
    ],
  },
  {
    whole: 'completionTokens',
    kind: 'output',
    parts: [
      { count: 'completionAudioTokens', kind: 'output_audio' },
      { count: 'reasoningTokens', kind: 'reasoning' },
    ],
  },
];

const unpriced: PricedUsage = { amount: null, source: 'none', reference: '', validFrom: '', lines: [] };

/**
 * Prices a usage with the list price of its model at its time, exactly, without floating point. Never throws.
 *
 * The amount is null, and not zero, when neither side's tokens were reported, when provider or model are not in the price book, and when the
 * book has no price for a kind of token that was used. If one side alone was reported, that side alone is priced.
 *
 * Counts that contradict each other (more cached tokens than input tokens) are clamped: the totals stay as the provider gave them, the parts
 * are taken out of them one after the other, cached ones first, as far as they go. So nothing is billed twice; where cached audio is
 * reported both as cached and as audio and the two overlap, the overlap is billed as cached.
 */
export function priceUsage(usage: Usage, query: PriceQuery): PricedUsage {
  if (countOf(usage, 'promptTokens') === null && countOf(usage, 'completionTokens') === null) return unpriced;
  const price = lookUpPrice(query);
  if (price === undefined) return unpriced;
  const lines = price.isFree ? [] : billLines(usage, price);
  if (lines === undefined) return unpriced;
  const amount = lines.reduce((sum, line) => moneyOfUnits(sum + line.amount), zeroMoney);
  return { amount, source: 'price-book', reference: price.reference, validFrom: price.validFrom, lines };
}

/** @returns undefined when a used kind has no price. */
function billLines(usage: Usage, { rates }: Price): CostLine[] | undefined {
  const inputTokens = countOf(usage, 'promptTokens') ?? 0;
  const quantities = sides.flatMap((side) => splitSide(usage, side, rates));
  if (rates.has('request')) quantities.push({ kind: 'request', tokens: 1 });
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

interface Quantity {
  readonly kind: RateKind;
  readonly tokens: number;
}

function splitSide(usage: Usage, side: Side, rates: Price['rates']): Quantity[] {
  let rest = countOf(usage, side.whole) ?? 0;
  const parts: Quantity[] = [];
  for (const { count, kind } of side.parts) {
    if (!rates.has(kind)) continue;
    const tokens = Math.min(countOf(usage, count) ?? 0, rest);
    rest -= tokens;
    parts.push({ kind, tokens });
  }
  return [{ kind: side.kind, tokens: rest }, ...parts];
}

function rateFor(rate: Rate, inputTokens: number): Money {
  return rate.steps.findLast((step) => inputTokens > step.aboveInputTokens)?.perMillion ?? rate.perMillion;
}

function amountOf(tokens: number, pricePerMillion: Money): Money {
  return moneyOfUnits((BigInt(tokens) * pricePerMillion + 500_000n) / 1_000_000n);
}

/** A count that is not a whole number from 0, which only a usage made elsewhere could hold, is an unknown one. */
function countOf(usage: Usage, count: Count): number | null {
  const value = usage[count];
  return value !== null && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
