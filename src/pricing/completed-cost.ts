import type { BilledRequest, StatedCost } from '../model/pricing/billed-request.ts';
import type { Money } from '../model/pricing/money.ts';
import type { Bill } from '../model/record/usage.ts';
import { priceUsage } from './cost.ts';
import { type Pricing, queryOf } from './explain-cost.ts';
import { priceBills } from './several-models.ts';

/** What was told of a call beside its usage. */
export interface ToldOfCost {
  readonly bills: readonly Bill[] | undefined;
  /** The provider's own figure. */
  readonly stated: Money | null;
}

/** The cost of a call whose usage became known later, by the prices of its time. @returns undefined where the caller's own figure stands. */
export function completedCost(request: BilledRequest, told: ToldOfCost, pricing: Pricing): StatedCost | undefined {
  return request.costSource === 'header' ? undefined : costByUsage(request, told, pricing);
}

/** What such a call came to, yet not by the caller's word: the model that the caller names in place of the real one counts only where that one has no price. */
export function completedSpending(request: BilledRequest, told: ToldOfCost, pricing: Pricing): Money | undefined {
  return costByUsage({ ...request, modelOverride: '' }, told, pricing).cost ?? costByUsage(request, told, pricing).cost ?? undefined;
}

function costByUsage(request: BilledRequest, { bills, stated }: ToldOfCost, { providerId, prices }: Pricing): StatedCost {
  if (stated !== null) return { cost: stated, costSource: 'provider', priceReference: '', appliedPrice: '' };
  const query = queryOf(request, providerId);
  const { usage } = request;
  const { amount, source, reference, applied } = bills === undefined ? priceUsage(usage, query, prices) : priceBills(bills, query, prices);
  return { cost: amount, costSource: source, priceReference: reference, appliedPrice: applied };
}
