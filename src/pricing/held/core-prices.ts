import type { OrganizationId } from '../../model/ids.ts';
import type { BilledRequest } from '../../model/record/billed-request.ts';
import { priceProviderOf } from '../../providers/registry.ts';
import type { Pricing } from '../explain-cost.ts';
import type { PriceBook } from '../price-book.ts';
import type { HeldImport } from './imported-prices.ts';
import type { StoredPrices } from './stored-prices.ts';

export interface CorePrices {
  readonly book: PriceBook;
  readonly stored: StoredPrices;
}

/** With what the operator has imported, which is in the book. */
export interface AllCorePrices extends CorePrices {
  readonly imported: HeldImport;
}

export function makePricingOf({ book, stored }: CorePrices) {
  return (organizationId: OrganizationId, { provider }: BilledRequest): Pricing => ({
    providerId: priceProviderOf(provider),
    prices: { book, organization: stored.get(organizationId) },
  });
}
