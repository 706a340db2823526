import type { BilledRequest } from '../model/pricing/billed-request.ts';
import { zeroMoney, moneyOfUnits } from '../model/pricing/money.ts';
import type { Bill } from '../model/record/usage.ts';
import { type PricedUsage, priceUsage } from './cost.ts';
import type { PriceQuery, Prices } from './look-up.ts';

/** Stands between the references of the prices of several models. */
const between = ' + ';
/** Stands for a model without a price. */
const unknownReference = '?';

/**
 * Prices what several models did for one call, each at its own price. The amount is null when one of them has none.
 * @param query names the model that answered.
 */
export function priceBills(bills: readonly Bill[], query: PriceQuery, prices: Prices): PricedUsage {
  const priced = bills.map(({ model, usage }) => priceUsage(usage, model === '' ? query : { ...query, models: [model] }, prices));
  const isPriced = priced.every(({ amount }) => amount !== null);
  return {
    amount: isPriced ? priced.reduce((sum, { amount }) => moneyOfUnits(sum + (amount ?? 0n)), zeroMoney) : null,
    source: isPriced ? 'price-book' : 'none',
    reference: priced.map(({ reference }) => reference || unknownReference).join(between),
    // A record keeps its counts together, from which the bills cannot be made again.
    applied: '',
    validFrom: '',
    lines: priced.flatMap(({ lines }) => lines),
  };
}

/** True for a record that was priced by {@link priceBills}: its cost cannot be made again from what it keeps. A price of one model is kept with its record. */
export function isOfSeveralModels({ priceReference, appliedPrice }: Pick<BilledRequest, 'priceReference' | 'appliedPrice'>): boolean {
  return appliedPrice === '' && priceReference.includes(between);
}
