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

/** What an exchange for which a budget had set money aside came to. */
export interface BudgetSettlement {
  readonly organizationId: OrganizationId;
  readonly requestId: RequestId;
  /** Undefined: nobody knows, so what was set aside stays counted. */
  readonly amount: Money | undefined;
}

/** Settles reservations; doing it again changes nothing. */
export type SettleBudgets = (settlements: readonly BudgetSettlement[]) => Promise<void>;

/** @param prices those that the record was priced by. @returns undefined for an exchange without a reservation. */
export function settlementOf(exchange: Exchange, record: RequestRecord, prices: Prices): BudgetSettlement | undefined {
  const { organizationId, requestId, reserved } = exchange.open;
  if (reserved !== true) return undefined;
  if (isGuess(exchange, record)) return { organizationId, requestId, amount: undefined };
  return { organizationId, requestId, amount: spentOn(exchange, record, prices) ?? (costNothing(exchange) ? zeroMoney : undefined) };
}

/** Tokens that were counted in a body of which not all is here, or in which there is more than text. */
function isGuess({ open, requestBody }: Exchange, { usage, requestBodyCut, responseBodyCut }: RequestRecord): boolean {
  if (!usage.estimated) return false;
  if (requestBodyCut || responseBodyCut || isHalf(usage)) return true;
  const { parsed } = readBody(requestBody, open.headers['content-encoding'], open.headers['content-type'] ?? '');
  return !isJsonObject(parsed) || !readCallSize(parsed, requestBody.length, []).isText;
}

/** The cost of a record, yet not by the caller's word: `Svc-Cost` does not count, and `Svc-Model-Override` only where the model has no price. */
function spentOn(exchange: Exchange, record: RequestRecord, prices: Prices): Money | undefined {
  const { cost, modelOverride, ...tags } = exchange.open.tags;
  if (cost === undefined && modelOverride === undefined) return record.cost ?? undefined;
  const costWith = (given: Exchange['open']['tags']): Money | null =>
    interpretExchange({ ...exchange, open: { ...exchange.open, tags: given } }, { declaredNames: new Map(), changes: [], prices }).cost;
  return costWith(tags) ?? (modelOverride === undefined ? undefined : (costWith({ ...tags, modelOverride }) ?? undefined));
}

/**
 * True where no answer was given that a provider could bill: its error, our refusal, or no connection. A call of which an attempt timed out, or whose
 * client or worker went before there was an answer, may have been billed all the same.
 */
function costNothing({ responseHead, end }: Exchange): boolean {
  if (responseHead === undefined) return false;
  const { status } = responseHead;
  const earlierTimedOut = end?.attempts?.some(({ error }) => error === 'provider_timeout') === true;
  const timedOut = earlierTimedOut || (status === 504 && end?.outcome === 'no_response');
  return !timedOut && (status < 200 || status > 299);
}
