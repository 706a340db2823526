import { undatedName } from '../model/pricing/price-line.ts';
import { zeroMoney } from '../model/pricing/money.ts';
import type { BilledRequest } from '../model/record/billed-request.ts';
import type { PriceChange, ServedModel, SimulatedCost } from '../model/record/simulation.ts';
import { isHalf, type Usage } from '../model/record/usage.ts';
import { isBillable, priceUsage } from './cost.ts';
import { isByTables, type Pricing, queryOf } from './explain-cost.ts';
import { candidatePrices, type PriceQuery, type Prices } from './look-up.ts';

/** Whether anything has a price for a model now. */
export function hasPrice({ name, provider, providerId }: ServedModel, prices: Prices, at: number): boolean {
  return candidatePrices({ provider, providerId, models: [name], at }, prices).next().done !== true;
}

/** The cost of a stored request, had it been made otherwise. */
export function simulatedCost(request: BilledRequest, change: PriceChange, { providerId, prices }: Pricing): SimulatedCost {
  const { usage, cost, cached } = request;
  if (cached) return { cost: cost ?? zeroMoney, isEstimated: false, isUnchanged: true };
  if (change.model === undefined && !isByTables(request)) return { cost, isEstimated: false, isUnchanged: true };
  if (isHalf(usage) || !isBillable(usage)) return { cost: null, isEstimated: false, isUnchanged: false };
  const { amount } = priceUsage(change.withoutCache ? uncached(usage) : usage, queryFor(request, change, providerId), prices);
  return { cost: amount, isEstimated: usage.estimated || isOfAnother(request, change.model), isUnchanged: false };
}

function queryFor(request: BilledRequest, { model, tier, now }: PriceChange, providerId: string | undefined): PriceQuery {
  if (model === undefined) {
    const query = queryOf(request, providerId);
    return tier === undefined ? query : { ...query, serviceTier: tier };
  }
  const stays = model.provider === request.provider ? request.serviceTier : '';
  return { provider: model.provider, providerId: model.providerId, models: [model.name], at: now, serviceTier: tier ?? stays };
}

/** A dated name means the same model as one without the date. */
function isOfAnother({ responseModel, requestModel }: BilledRequest, model: ServedModel | undefined): boolean {
  if (model === undefined) return false;
  const name = undatedName(model.name);
  return undatedName(responseModel) !== name && undatedName(requestModel) !== name;
}

function uncached(usage: Usage): Usage {
  return {
    ...usage,
    promptCacheReadTokens: null,
    promptCacheReadAudioTokens: null,
    promptCacheWriteTokens: null,
    promptCacheWriteHourTokens: null,
    promptCacheWriteHalfDayTokens: null,
  };
}
