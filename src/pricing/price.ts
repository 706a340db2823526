import type { Money } from '../model/pricing/money.ts';
import type { PriceTable, RateKind } from '../model/vocabulary/prices.ts';

/** A price per million, and what it becomes for all tokens of a call whose input is longer than a step; steps in rising order. */
export interface Rate {
  readonly perMillion: Money;
  readonly steps: readonly { readonly aboveInputTokens: number; readonly perMillion: Money }[];
}

/** What a million costs in a call with so many tokens of input. */
export function rateFor(rate: Rate, inputTokens: number): Money {
  return rate.steps.findLast((step) => inputTokens > step.aboveInputTokens)?.perMillion ?? rate.perMillion;
}

/** What one model costs at one time. */
export interface Price {
  readonly table: PriceTable;
  /** Provider and model as the table names them, such as `openai/gpt-4o`. */
  readonly reference: string;
  /** Date (`2025-06-10`, UTC) from which it holds; empty when the table gives none. */
  readonly validFrom: string;
  /** A kind without a rate is billed with the kind that it is a part of. */
  readonly rates: ReadonlyMap<RateKind, Rate>;
  /** The table lists the model and asks nothing for it. */
  readonly isFree: boolean;
  /** Tokens that the model takes and gives together at most; undefined where the table does not say. */
  readonly contextWindow: number | undefined;
}
