import type { Prices } from '../look-up.ts';
import { noOrganizationPrices } from '../organization-prices.ts';
import { priceBookFrom } from '../price-book.ts';

/** The public list alone, as an organisation without prices of its own has it. */
export const listedPrices: Prices = { book: priceBookFrom(undefined), organization: noOrganizationPrices };
