import { providerNamed } from '../../providers/registry.ts';
import type { Prices } from '../look-up.ts';
import { organizationModels } from '../organization-prices.ts';

/** The models of a provider in the price book, and those for which the organisation has stored a price. */
export function modelsOf(name: string, { book, organization }: Prices): readonly string[] {
  const entry = providerNamed(name);
  if (entry === undefined) return [];
  return [...new Set([...book.modelsOf(entry.priceProviderId), ...organizationModels(organization, entry.recordName)])];
}
