import type { Config } from '../../config/load.ts';
import { makeAllowList } from '../../egress/allow-list.ts';
import { makeTargetGuard } from '../../egress/target-guard.ts';
import { type ListedModel, listedModels } from '../../gateway/builtin/model-list.ts';
import { makeProviderTable } from '../../gateway/routing/provider-table.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Prices } from '../../pricing/look-up.ts';
import { organizationModels } from '../../pricing/organization-prices.ts';
import { providerNamed } from '../../providers/registry.ts';

/** The models of a provider that the price book lists, and those that an organisation has named with a price of its own for it. */
export function modelsOf(name: string, { book, organization }: Prices): readonly string[] {
  const entry = providerNamed(name);
  if (entry === undefined) return [];
  return [...new Set([...book.modelsOf(entry.priceProviderId), ...organizationModels(organization, entry.recordName)])];
}

/** What an organisation reaches with its key alone: the list that the gateway gives. @param storedProviders for which it has stored a key. */
export function makeModelList(config: Config, pricesOf: (organizationId: OrganizationId) => Prices) {
  const allowed = makeAllowList(config.targetAllowlist);
  const surroundings = { bedrockRegion: config.bedrockRegion, allowsLocal: allowed.allows, targets: makeTargetGuard(allowed) };
  const providers = makeProviderTable(config.providers, surroundings);
  return (organizationId: OrganizationId, storedProviders: ReadonlySet<string>): readonly ListedModel[] =>
    listedModels({ providers, knownModels: (name) => modelsOf(name, pricesOf(organizationId)), organizationId, storedProviders });
}
