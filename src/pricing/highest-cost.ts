import { type Money, moneyOfUnits, zeroMoney } from '../model/pricing/money.ts';
import type { RateKind } from '../model/vocabulary/prices.ts';
import { candidatePrices, type PriceQuery, type Prices } from './look-up.ts';
import { outputLimitOf } from './tables/output-limits.ts';
import type { Price, Rate } from './tables/price.ts';

/** Size limits of a call. */
export interface CallBounds {
  /** Maximum input tokens; undefined: the model's limit. */
  readonly inputTokens: number | undefined;
  /** Maximum output tokens of one answer; undefined: the model's limit. */
  readonly outputTokens: number | undefined;
  /** Number of generated and billed answers. */
  readonly choices: number;
  /** Text only, so that no other kind of token is billed. */
  readonly isText: boolean;
  /** Whether the caller asks to write parts of the input to a cache. */
  readonly writesCache: boolean;
}

const textInput: readonly RateKind[] = ['input'];
const cacheWrites: readonly RateKind[] = ['cache_write', 'cache_write_1h', 'cache_write_12h'];
const otherInput: readonly RateKind[] = ['input_audio', 'input_image', 'cache_read_audio'];
const textOutput: readonly RateKind[] = ['output', 'reasoning'];
const otherOutput: readonly RateKind[] = ['output_audio', 'output_image'];

/**
 * The maximum cost of a call: every token at the highest rate that may apply to its side, by the first price that has one. @returns
 * undefined without a price by the token or without a bound of the size.
 */
export function maxCost(query: PriceQuery, bounds: CallBounds, prices: Prices): Money | undefined {
  const candidates = [...candidatePrices(query, prices)];
  // Stored prices do not list a model's size; the book does.
  const contextWindow = candidates.find((price) => price.contextWindow !== undefined)?.contextWindow;
  const outputTokens = smaller(bounds.outputTokens, outputLimit(query));
  for (const price of candidates) {
    const cost = highestCostAt({ ...price, contextWindow }, { ...bounds, outputTokens });
    if (cost !== undefined) return cost;
  }
  return undefined;
}

/** Maximum output tokens of one answer; unknown for unknown servers. */
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
  return moneyOfUnits(input + output * BigInt(bounds.choices) + roundedUp(fee));
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** @returns undefined when there are rates and no number of tokens. @param inputTokens selects the step of every rate. */
function sideCost(
  { rates }: Price,
  kinds: readonly RateKind[],
  tokens: number | undefined,
  inputTokens: number | undefined,
): Money | undefined {
  const highestRate = kinds.reduce((max, kind) => larger(max, highestStep(rates.get(kind), inputTokens)), zeroMoney);
  if (highestRate === zeroMoney) return zeroMoney;
  return tokens === undefined ? undefined : roundedUp(moneyOfUnits(BigInt(tokens) * highestRate));
}

function highestStep(rate: Rate | undefined, inputTokens: number | undefined): Money {
  if (rate === undefined) return zeroMoney;
  const reached = rate.steps.filter(({ aboveInputTokens }) => inputTokens === undefined || inputTokens > aboveInputTokens);
  return reached.reduce((max, { perMillion }) => larger(max, perMillion), rate.perMillion);
}

function larger(one: Money, other: Money): Money {
  return one > other ? one : other;
}

/** In millionths. */
function roundedUp(millionths: Money): Money {
  return moneyOfUnits((millionths + 999_999n) / 1_000_000n);
}
