import type { BilledRequest } from './billed-request.ts';
import type { RequestId } from '../ids.ts';
import type { Money } from '../pricing/money.ts';

/** A stored request to price again. */
export interface RepricedRequest {
  readonly requestId: RequestId;
  /** Model name as records show it. */
  readonly model: string;
  readonly billed: BilledRequest;
}

/** Sums before and after; an unknown cost counts as 0. */
export interface CostDifference {
  /** Requests whose cost changes. */
  readonly changed: number;
  readonly before: Money;
  readonly after: Money;
}

export interface RepriceReport {
  readonly checked: number;
  /** Of these, the requests whose cost is fixed: stated by the caller or the provider, or served from the cache. */
  readonly stated: number;
  /** Sums over the changed requests. */
  readonly total: CostDifference;
  readonly byModel: ReadonlyMap<string, CostDifference>;
}
