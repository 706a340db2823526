import type { Money } from './money.ts';
import type { CostSource, RequestRecord } from '../record/request-record.ts';
import type { PriceTable, RateKind } from '../vocabulary/prices.ts';

/** What of a stored request decides its cost, and the cost that it has. */
export type BilledRequest = Pick<
  RequestRecord,
  | 'createdAt'
  | 'provider'
  | 'requestModel'
  | 'responseModel'
  | 'modelOverride'
  | 'serviceTier'
  | 'usage'
  | 'cost'
  | 'costSource'
  | 'priceReference'
  | 'appliedPrice'
  | 'cached'
>;

/** A cost with where it comes from. */
export type StatedCost = Pick<RequestRecord, 'cost' | 'costSource' | 'priceReference' | 'appliedPrice'>;

/** One line of the explanation of a cost. */
export interface ExplainedLine {
  /** `total`: a figure as a whole, which nobody has split. */
  readonly kind: RateKind | 'total';
  /** Tokens of this kind, no token on two lines; null for `total`. */
  readonly tokens: number | null;
  /** US dollars for a million of them; null for `total`. */
  readonly pricePerMillion: Money | null;
  readonly amount: Money;
  readonly priceSource: PriceTable | Extract<CostSource, 'provider' | 'header'>;
  /** Date (UTC) from which the price holds; null when its table gives none. */
  readonly validFrom: string | null;
}

/** Why a request costs what it costs. */
export interface CostExplanation {
  readonly total: Money | null;
  readonly source: CostSource;
  /** They add up exactly to the total. */
  readonly lines: readonly ExplainedLine[];
  /** What it comes to by the prices of today's tables at its time; null when they have none. */
  readonly recomputed: Money | null;
  /** What the lines do not say. */
  readonly note: string | undefined;
}
