import { systemClock } from '../../platform/clock.ts';
import { noOrganizationPrices } from '../../pricing/organization-prices.ts';
import { bookWithoutOperator } from '../../pricing/layers/books.ts';
import { priceProviderOf } from '../../providers/registry.ts';
import type { Store } from '../../store/store.ts';
import { type CompleteUsage, type CompleteUsagePorts, makeCompleteUsage } from '../completions/complete-usage.ts';

const book = bookWithoutOperator;

/** What completes usage over a store, by the built-in prices. */
export function completeUsageIn(store: Store, given: Partial<CompleteUsagePorts> = {}): CompleteUsage {
  return makeCompleteUsage({
    rows: store.usageRows,
    settleBudgets: async () => undefined,
    pricingOf: (_organizationId, { provider }) => ({
      providerId: priceProviderOf(provider),
      prices: { book, organization: noOrganizationPrices },
    }),
    now: systemClock.now,
    observe: () => undefined,
    onCompleted: () => undefined,
    ...given,
  });
}
