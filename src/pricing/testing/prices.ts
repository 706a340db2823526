import { bookWithoutOperator } from '../layers/books.ts';
import type { Prices } from '../look-up.ts';
import { noOrganizationPrices } from '../organization-prices.ts';

/** The public list and its corrections alone, as an organisation without prices of its own has them where the operator has none. */
export const listedPrices: Prices = { book: bookWithoutOperator, organization: noOrganizationPrices };
