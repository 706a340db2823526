import type { Exchange } from '../../model/record/exchange.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { type Money, zeroMoney } from '../../model/pricing/money.ts';
import type { RequestRecord } from '../../model/record/request-record.ts';
import { isJsonObject } from '../../model/text.ts';
import { isHalf } from '../../model/record/usage.ts';
import type { Prices } from '../../pricing/look-up.ts';
import { readCallSize } from '../../providers/call-size.ts';
import { readBody } from './body.ts';
import { interpretExchange } from './interpret.ts';

/** The final amount of an exchange with a budget reservation. */
export interface BudgetSettlement {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  /** Undefined: unknown, so the reservation stays counted. */
  readonly amount: Money | undefined;
}

/** Settles reservations; idempotent. */
export type SettleBudgets = (settlements: readonly BudgetSettlement[]) => Promise<void>;

/** @param prices of the record. @returns undefined for an exchange without a reservation. */
export function settlementOf(exchange: Exchange, record: RequestRecord, prices: Prices): BudgetSettlement | undefined {
  const { organizationId, requestId, reserved } = exchange.open;
  if (reserved !== true) return undefined;
  if (isUnreliable(exchange, record)) return { organizationId, requestId, amount: undefined };
  return {
    organizationId,
    requestId,
    amount: costWithoutClaims(exchange, record, prices) ?? (costNothing(exchange) ? zeroMoney : undefined),
  };
}

/** Whether tokens were estimated from an incomplete body, or from one with more than text. */
function isUnreliable({ open, requestBody }: Exchange, { usage, requestBodyCut, responseBodyCut }: RequestRecord): boolean {
  if (!usage.estimated) return false;
  if (requestBodyCut || responseBodyCut || isHalf(usage)) return true;
  const { parsed } = readBody(requestBody, open.headers['content-encoding'], open.headers['content-type'] ?? '');
  return !isJsonObject(parsed) || !readCallSize(parsed, requestBody.length, []).isText;
}

/**
 * The cost of a record without the caller's claims: `Svc-Cost` is ignored, and `Svc-Model-Override` counts only where the model has no
 * price.
 */
function costWithoutClaims(exchange: Exchange, record: RequestRecord, prices: Prices): Money | undefined {
  const { cost, modelOverride, ...tags } = exchange.open.tags;
  if (cost === undefined && modelOverride === undefined) return record.cost ?? undefined;
  const costWith = (tagsUsed: Exchange['open']['tags']): Money | null =>
    interpretExchange({ ...exchange, open: { ...exchange.open, tags: tagsUsed } }, { declaredNames: new Map(), changes: [], prices }).cost;
  return costWith(tags) ?? (modelOverride === undefined ? undefined : (costWith({ ...tags, modelOverride }) ?? undefined));
}

/**
 * True where no response was given that a provider could bill: its error, our refusal, or no connection. A call with an attempt that timed
 * out, or whose client or worker disappeared before a response, may have been billed.
 */
function costNothing({ responseHead, end }: Exchange): boolean {
  if (responseHead === undefined) return false;
  const { status } = responseHead;
  const earlierTimedOut = end?.attempts?.some(({ error }) => error === 'provider_timeout') === true;
  const timedOut = earlierTimedOut || (status === 504 && end?.outcome === 'no_response');
  return !timedOut && (status < 200 || status > 299);
}
