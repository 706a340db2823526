import type { RateKind } from '../vocabulary/prices.ts';

/** US dollars for a million of each kind. A kind without a price is billed as the kind that contains it. */
export type LineRates = { readonly [Kind in RateKind]?: number | undefined };

/** The price of one model from one day on, as corrections and the operator write it. Plain data, because it is stored and sent to a thread. */
export interface PriceLine {
  /** A model's name, which means its dated snapshots too, or a prefix followed by `*`. */
  readonly model: string;
  /** The provider's name in the public list; null: whoever serves the model. */
  readonly provider: string | null;
  /** Date (`2026-01-31`, UTC); null: always. */
  readonly validFrom: string | null;
  /** Who says so, and when. */
  readonly source: string;
  readonly rates: LineRates;
  /** Prices of all tokens of a call whose input exceeds a step, in ascending order; a kind that a step lacks keeps its price. */
  readonly above?: readonly { readonly inputTokens: number; readonly rates: LineRates }[] | undefined;
  /** Maximum tokens of input and output together. */
  readonly contextWindow?: number | undefined;
}

/** What two lines may not have in common. */
export function keyOfLine({ model, provider, validFrom }: PriceLine): string {
  return JSON.stringify([model, provider, validFrom]);
}

/** A name without the date or version at its end, by which providers name one state of a model. */
export function undatedName(model: string): string {
  return model.replace(/-v\d+(?::\d+)*$/, '').replace(/[-@]\d{4}-?\d{2}-?\d{2}$/, '');
}
