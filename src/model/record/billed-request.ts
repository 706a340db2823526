import type { StoredPrice } from '../pricing/stored-price.ts';
import type { Money } from '../pricing/money.ts';
import type { CostSource, RequestRecord } from './request-record.ts';
import type { PriceTable, RateKind } from '../vocabulary/prices.ts';

/** The facts of a stored request that decide its cost, and its present cost. */
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

export type StatedCost = Pick<RequestRecord, 'cost' | 'costSource' | 'priceReference' | 'appliedPrice'>;

export interface ExplainedLine {
  /** `total`: a figure without a breakdown. */
  readonly kind: RateKind | 'total';
  /** Each token counts in one line only; null for `total`. */
  readonly tokens: number | null;
  /** USD per million tokens; null for `total`. */
  readonly pricePerMillion: Money | null;
  readonly amount: Money;
  readonly priceSource: PriceTable | Extract<CostSource, 'provider' | 'header'>;
  /** Who says so, and when; null when its table is its own source. */
  readonly statedBy: string | null;
  /** Date (UTC) from which the price is valid; null when its table has none. */
  readonly validFrom: string | null;
}

export interface CostExplanation {
  readonly total: Money | null;
  readonly source: CostSource;
  /** They add up exactly to the total. */
  readonly lines: readonly ExplainedLine[];
  /** The cost by today's price tables at the time of the request; null without a price. */
  readonly recomputed: Money | null;
  readonly note: string | undefined;
  /** The listed model that is most like one without a price. */
  readonly nearest?: NearestPrice | undefined;
}

/** A listed price under the name of a model that has none. */
export interface NearestPrice {
  readonly model: string;
  /** Names the model without a price. */
  readonly line: StoredPrice;
}
