import type { BilledRequest } from '../model/record/billed-request.ts';
import type { Bill } from '../model/record/usage.ts';
import { type PricedUsage, priceUsage, sumOf } from './cost.ts';
import type { PriceQuery, Prices } from './look-up.ts';

/** Joins the references of several models' prices. */
const between = ' + ';
/** Replaces the reference of a model without a price. */
const unknownReference = '?';

/**
 * Prices the work of several models for one call, each at its own price. The amount is null when one of them has none. @param query names
 * the model that answered.
 */
export function priceBills(bills: readonly Bill[], query: PriceQuery, prices: Prices): PricedUsage {
  const priced = bills.map(({ model, usage }) => priceUsage(usage, model === '' ? query : { ...query, models: [model] }, prices));
  const isPriced = priced.every(({ amount }) => amount !== null);
  const lines = priced.flatMap((each) => each.lines);
  return {
    amount: isPriced ? sumOf(lines) : null,
    source: isPriced ? 'price-book' : 'none',
    reference: priced.map(({ reference }) => reference || unknownReference).join(between),
    // A record has the summed counts only, from which the bills cannot be recomputed.
    applied: '',
    validFrom: '',
    lines,
  };
}

/** Whether a record was priced by {@link priceBills}: its cost cannot be recomputed from its counts. */
export function isOfSeveralModels({ priceReference, appliedPrice }: Pick<BilledRequest, 'priceReference' | 'appliedPrice'>): boolean {
  return appliedPrice === '' && priceReference.includes(between);
}
