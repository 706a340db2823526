import type { RateKind } from '../vocabulary/prices.ts';

/** A price as an organisation has stored it; it was checked before it was stored. */
export interface StoredPrice {
  /** The model's name, or the beginning of names with `*` behind it. */
  readonly model: string;
  /** The provider's name in records; null: whoever serves the model. */
  readonly provider: string | null;
  /** Date (`2026-01-31`, UTC) from which it holds; null: always. */
  readonly validFrom: string | null;
  /** US dollars for a million of each kind. */
  readonly rates: { readonly [Kind in RateKind]?: number | undefined };
}
