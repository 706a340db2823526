import type { Config } from '../../config/load.ts';
import { makeAllowList } from '../../egress/allow-list.ts';
import { makeTargetGuard } from '../../egress/target-guard.ts';
import { type ListedModel, listedModels } from '../../gateway/builtin/model-list.ts';
import { makeProviderTable } from '../../gateway/routing/provider-table.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Prices } from '../../pricing/look-up.ts';
import { organizationModels } from '../../pricing/organization-prices.ts';
import { providerNamed } from '../../providers/registry.ts';

/** The models of a provider in the price book, and those for which the organisation has stored a price. */
export function modelsOf(name: string, { book, organization }: Prices): readonly string[] {
  const entry = providerNamed(name);
  if (entry === undefined) return [];
  return [...new Set([...book.modelsOf(entry.priceProviderId), ...organizationModels(organization, entry.recordName)])];
}

/** Lists the models that an organisation reaches with its Gatelog key alone. @param storedProviders providers with a stored key. */
export function makeModelList(config: Config, pricesOf: (organizationId: OrganizationId) => Prices) {
  const allowed = makeAllowList(config.targetAllowlist);
  const surroundings = { bedrockRegion: config.bedrockRegion, allowsLocal: allowed.allows, targets: makeTargetGuard(allowed) };
  const providers = makeProviderTable(config.providers, surroundings);
  return (organizationId: OrganizationId, storedProviders: ReadonlySet<string>): readonly ListedModel[] =>
    listedModels({ providers, knownModels: (name) => modelsOf(name, pricesOf(organizationId)), organizationId, storedProviders });
}
