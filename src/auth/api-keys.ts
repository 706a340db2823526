import type { MetadataQueries } from '../metadata/database.ts';
import { type ApiKey, type ApiKeyChange, changeApiKey, countValidKeys, listApiKeys } from '../metadata/organization/api-keys.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { KeyPermissions } from '../model/principal.ts';
import { peopleLimits } from '../model/people.ts';
import { apiKeyLimits } from '../model/vocabulary/limits.ts';
import { issueKey, type IssuedKey } from './issue-key.ts';

export interface NewOrganizationKey {
  readonly name: string;
  readonly permissions: KeyPermissions;
  /** Whose it is; absent: the organisation's. */
  readonly personId?: string;
}

/** The keys of organisations and of their people. Changes are durable on return; gateways see them within five seconds. */
export interface ApiKeys {
  readonly add: (organizationId: OrganizationId, key: NewOrganizationKey) => Promise<IssuedKey | 'too_many' | 'too_many_of_person'>;
  /** The oldest first, revoked ones included. */
  readonly list: (organizationId: OrganizationId) => Promise<readonly ApiKey[]>;
  /** `last_admin`: nobody could administer the organisation through the API any more. Undefined: no such key, or it is revoked. */
  readonly change: (organizationId: OrganizationId, id: string, change: ApiKeyChange) => Promise<ApiKey | 'last_admin' | undefined>;
}

/** @param now Unix milliseconds. */
export function makeApiKeys(database: MetadataQueries, region: string, now: () => number): ApiKeys {
  return {
    add: async (organizationId, key) => {
      if ((await countValidKeys(database, organizationId)) >= apiKeyLimits.keys) return 'too_many';
      const { personId } = key;
      const own = personId === undefined ? 0 : await countValidKeys(database, organizationId, personId);
      if (own >= peopleLimits.keys) return 'too_many_of_person';
      return issueKey(database, { organizationId, region, at: now(), ...key });
    },
    list: (organizationId) => listApiKeys(database, organizationId),
    change: (organizationId, id, change) => changeApiKey(database, { organizationId, id, at: now() }, change),
  };
}
