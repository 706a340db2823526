import type { Config } from '../../config/load.ts';
import { makeAllowList } from '../../egress/allow-list.ts';
import { makeTargetGuard } from '../../egress/target-guard.ts';
import { type ListedModel, listedModels } from './model-list.ts';
import type { KnownModels } from '../routing/known-models.ts';
import { makeProviderTable } from '../routing/provider-table.ts';
import type { OrganizationId } from '../../model/ids.ts';

/** Lists the models that an organisation reaches with its Gatelog key alone. @param storedProviders providers with a stored key. */
export function makeModelList(config: Config, knownModels: KnownModels) {
  const allowed = makeAllowList(config.targetAllowlist);
  const surroundings = { bedrockRegion: config.bedrockRegion, allowsLocal: allowed.allows, targets: makeTargetGuard(allowed) };
  const providers = makeProviderTable(config.providers, surroundings);
  return (organizationId: OrganizationId, storedProviders: ReadonlySet<string>): readonly ListedModel[] =>
    listedModels({ providers, knownModels: (name) => knownModels(name, organizationId), organizationId, storedProviders });
}
