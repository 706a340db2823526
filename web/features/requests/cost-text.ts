import type { RequestCost, RequestItem } from '../../../src/client/client.ts';
import { formatCost, withoutPrice } from '../../lib/format.ts';

type Priced = Pick<RequestItem, 'cost' | 'failure' | 'total_tokens' | 'model'>;

/** What is shown as the cost of a request. What was used and has no price is never shown as nothing. */
export function costText(request: Priced): string {
  const { cost, model } = request;
  if (isWithoutPrice(request)) return withoutPrice;
  // A step that is no call of a model costs nothing, and nobody looks for its price.
  return cost === 0 && /^(?:tool:|data:|vector_db$)/.test(model) ? formatCost(null) : formatCost(cost);
}

/** Whether tokens were used that no table prices. */
export function isWithoutPrice({ cost, failure, total_tokens: tokens }: Priced): boolean {
  return cost === null && failure === null && (tokens ?? 0) > 0;
}

/** How the stored cost of a request stands to the prices as they are now. */
export type CostState = 'current' | 'never priced' | 'priced since' | 'changed since';

export function costStateOf({
  total,
  recomputed_total: now,
  differs,
}: Pick<RequestCost, 'total' | 'recomputed_total' | 'differs'>): CostState {
  if (total === null) return now === null ? 'never priced' : 'priced since';
  return differs ? 'changed since' : 'current';
}
