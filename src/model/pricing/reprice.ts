import type { BilledRequest } from './billed-request.ts';
import type { RequestId } from '../ids.ts';
import type { Money } from './money.ts';

/** A stored request whose cost is to be computed again. */
export interface RepricedRequest {
  readonly requestId: RequestId;
  /** Its model as records show it. */
  readonly model: string;
  readonly billed: BilledRequest;
}

/** What requests cost before and after. A cost that is not known adds nothing. */
export interface CostDifference {
  /** Requests whose cost is another one. */
  readonly changed: number;
  readonly before: Money;
  readonly after: Money;
}

/** What computing costs again came to. */
export interface RepriceReport {
  /** Requests that were looked at. */
  readonly checked: number;
  /** Of these, those whose cost stands: the caller or the provider stated it, or they were answered from the cache. */
  readonly stated: number;
  /** Over the requests whose cost is another one. */
  readonly total: CostDifference;
  readonly byModel: ReadonlyMap<string, CostDifference>;
}
