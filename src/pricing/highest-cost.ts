import { type Money, moneyOfUnits, zeroMoney } from '../model/pricing/money.ts';
import type { RateKind } from '../model/vocabulary/prices.ts';
import { candidatePrices, type PriceQuery, type Prices } from './look-up.ts';
import { outputLimitOf } from './output-limits.ts';
import type { Price, Rate } from './price.ts';

/** How large a call may be. */
export interface CallBounds {
  /** Tokens of the input at most; undefined: as many as the model takes. */
  readonly inputTokens: number | undefined;
  /** Tokens of one answer at most; undefined: as many as the model gives. */
  readonly outputTokens: number | undefined;
  /** Answers that are generated and billed. */
  readonly answers: number;
  /** Nothing but text goes in and comes out, so no other kind of token is billed. */
  readonly isText: boolean;
  /** The caller asks for parts of the input to be written to a cache. */
  readonly writesCache: boolean;
}

const textInput: readonly RateKind[] = ['input'];
const cacheWrites: readonly RateKind[] = ['cache_write', 'cache_write_1h'];
const otherInput: readonly RateKind[] = ['input_audio', 'input_image', 'cache_read_audio'];
const textOutput: readonly RateKind[] = ['output', 'reasoning'];
const otherOutput: readonly RateKind[] = ['output_audio', 'output_image'];

/**
 * The most that a call can cost: every token of its side at the dearest rate that may apply, by the first price that tells.
 * @returns undefined when there is no price, or it is no price by the token, or nothing says how large the call may become.
 */
export function maxCost(query: PriceQuery, bounds: CallBounds, prices: Prices): Money | undefined {
  const candidates = [...candidatePrices(query, prices)];
  // What an organisation has stored says nothing of a model's size; the book does.
  const contextWindow = candidates.find((price) => price.contextWindow !== undefined)?.contextWindow;
  const outputTokens = smaller(bounds.outputTokens, outputLimit(query));
  for (const price of candidates) {
    const cost = highestCostAt({ ...price, contextWindow }, { ...bounds, outputTokens });
    if (cost !== undefined) return cost;
  }
  return undefined;
}

/** What the model generates in one answer at most; of a server that nobody knows nobody knows that. */
function outputLimit({ providerId, models }: PriceQuery): number | undefined {
  return providerId === undefined ? undefined : models.map(outputLimitOf).find((tokens) => tokens !== undefined);
}

function highestCostAt(price: Price, bounds: CallBounds): Money | undefined {
  if (price.rates.has('audio_seconds')) return undefined;
  if (price.isFree) return zeroMoney;
  const inputTokens = smaller(bounds.inputTokens, price.contextWindow);
  const inputKinds = [...textInput, ...(bounds.writesCache ? cacheWrites : []), ...(bounds.isText ? [] : otherInput)];
  const input = sideCost(price, inputKinds, inputTokens, inputTokens);
  const outputTokens = smaller(bounds.outputTokens, price.contextWindow);
  const outputKinds = bounds.isText ? textOutput : [...textOutput, ...otherOutput];
  const output = sideCost(price, outputKinds, outputTokens, inputTokens);
  if (input === undefined || output === undefined) return undefined;
  const fee = price.rates.get('request')?.perMillion ?? zeroMoney;
  return moneyOfUnits(input + output * BigInt(bounds.answers) + roundedUp(fee));
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** @returns undefined when there are rates and no number of tokens. @param inputTokens decide the step of every rate. */
function sideCost(
  { rates }: Price,
  kinds: readonly RateKind[],
  tokens: number | undefined,
  inputTokens: number | undefined,
): Money | undefined {
  const dearest = kinds.reduce((most, kind) => larger(most, dearestStep(rates.get(kind), inputTokens)), zeroMoney);
  if (dearest === zeroMoney) return zeroMoney;
  return tokens === undefined ? undefined : roundedUp(moneyOfUnits(BigInt(tokens) * dearest));
}

function dearestStep(rate: Rate | undefined, inputTokens: number | undefined): Money {
  if (rate === undefined) return zeroMoney;
  const reached = rate.steps.filter(({ aboveInputTokens }) => inputTokens === undefined || inputTokens > aboveInputTokens);
  return reached.reduce((most, { perMillion }) => larger(most, perMillion), rate.perMillion);
}

function larger(one: Money, other: Money): Money {
  return one > other ? one : other;
}

/** Of millionths. */
function roundedUp(millionths: Money): Money {
  return moneyOfUnits((millionths + 999_999n) / 1_000_000n);
}
