import type { OrganizationId } from '../../model/ids.ts';

/**
 * Names of a provider's models that are known for an organisation.
 * @throws GatelogError `metadata_unavailable`.
 */
export type KnownModels = (provider: string, organizationId: OrganizationId) => readonly string[];
