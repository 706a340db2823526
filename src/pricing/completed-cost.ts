import type { BilledRequest, StatedCost } from '../model/record/billed-request.ts';
import type { Money } from '../model/pricing/money.ts';
import type { Bill } from '../model/record/usage.ts';
import { priceUsage } from './cost.ts';
import { type Pricing, queryOf } from './explain-cost.ts';
import { priceBills } from './several-models.ts';

export interface CompletedUsage {
  readonly bills: readonly Bill[] | undefined;
  /** The provider's reported cost. */
  readonly stated: Money | null;
}

/** The cost of a call whose usage arrived later, at the prices of its time. @returns undefined when the caller reported the cost. */
export function completedCost(request: BilledRequest, completed: CompletedUsage, pricing: Pricing): StatedCost | undefined {
  return request.costSource === 'header' ? undefined : costByUsage(request, completed, pricing);
}

/**
 * The spending of such a call, apart from the caller's report: the caller's override of the model counts only where the real model has no
 * price.
 */
export function completedSpending(request: BilledRequest, completed: CompletedUsage, pricing: Pricing): Money | undefined {
  return (
    costByUsage({ ...request, modelOverride: '' }, completed, pricing).cost ?? costByUsage(request, completed, pricing).cost ?? undefined
  );
}

function costByUsage(request: BilledRequest, { bills, stated }: CompletedUsage, { providerId, prices }: Pricing): StatedCost {
  if (stated !== null) return { cost: stated, costSource: 'provider', priceReference: '', appliedPrice: '' };
  const query = queryOf(request, providerId);
  const { usage } = request;
  const { amount, source, reference, applied } = bills === undefined ? priceUsage(usage, query, prices) : priceBills(bills, query, prices);
  return { cost: amount, costSource: source, priceReference: reference, appliedPrice: applied };
}
