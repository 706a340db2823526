import { type Money, moneyOfUnits } from '../../model/pricing/money.ts';
import type { PriceTable, RateKind } from '../../model/vocabulary/prices.ts';

/** A rate per million, and the rates for all tokens of a call whose input exceeds a step; steps in ascending order. */
export interface Rate {
  readonly perMillion: Money;
  readonly steps: readonly { readonly aboveInputTokens: number; readonly perMillion: Money }[];
}

/** The rate per million for a call with this many input tokens. */
export function rateFor(rate: Rate, inputTokens: number): Money {
  return rate.steps.findLast((step) => inputTokens > step.aboveInputTokens)?.perMillion ?? rate.perMillion;
}

/** A rate and its steps, times a fraction. */
export function scaledRate({ perMillion, steps }: Rate, [times, of]: readonly [bigint, bigint]): Rate {
  const scaled = (money: bigint) => moneyOfUnits((money * times) / of);
  return { perMillion: scaled(perMillion), steps: steps.map((step) => ({ ...step, perMillion: scaled(step.perMillion) })) };
}

/** The price of one model at one time. */
export interface Price {
  readonly table: PriceTable;
  /** Provider and model as the table names them, such as `openai/gpt-4o`. */
  readonly reference: string;
  /** Who says so, and when; empty where the table is its own source. */
  readonly source: string;
  /** Date (`2025-06-10`, UTC) from which it is valid; empty without one. */
  readonly validFrom: string;
  /** A kind without a rate is billed as the kind that contains it. */
  readonly rates: ReadonlyMap<RateKind, Rate>;
  /** The table lists the model as free. */
  readonly isFree: boolean;
  /** Maximum tokens of input and output together; undefined where the table has none. */
  readonly contextWindow: number | undefined;
}

/** Whether the operator has stated a price: no table of ours knows better at a tier or in a place that has no row. */
export function isOperators({ table }: Price): boolean {
  return table === 'prices-file';
}
