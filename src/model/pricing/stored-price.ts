import type { RateKind } from '../vocabulary/prices.ts';

/** A price stored by an organisation, validated before it was stored. */
export interface StoredPrice {
  /** A model name, or a prefix followed by `*`. */
  readonly model: string;
  /** Provider name as in records; null: any provider. */
  readonly provider: string | null;
  /** Date (`2026-01-31`, UTC) from which it is valid; null: always. */
  readonly validFrom: string | null;
  /** USD per million of each kind. */
  readonly rates: { readonly [Kind in RateKind]?: number | undefined };
}
