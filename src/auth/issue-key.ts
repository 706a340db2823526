import type { OrganizationId } from '../model/ids.ts';
import type { KeyPermissions } from '../model/principal.ts';
import { createApiKey, type ApiKey } from '../metadata/organization/api-keys.ts';
import type { MetadataQueries } from '../metadata/database.ts';
import { displayPrefix, generateKey, hashKey } from './api-key.ts';

export interface NewKey {
  readonly organizationId: OrganizationId;
  /** This deployment's. */
  readonly region: string;
  readonly name: string;
  readonly permissions: KeyPermissions;
  /** Whose it is; by default the organisation's. */
  readonly personId?: string;
  /** Unix milliseconds. */
  readonly at: number;
}

export interface IssuedKey {
  /** The key itself, which is shown once and stored nowhere. */
  readonly key: string;
  readonly apiKey: ApiKey;
}

/** Generates a key and stores its hash. */
export async function issueKey(database: MetadataQueries, order: NewKey): Promise<IssuedKey> {
  const key = generateKey(order.region);
  const apiKey = await storeKey(database, key, order);
  if (apiKey === 'key_taken') throw new Error('The random source gave the same key twice.');
  return { key, apiKey };
}

/** Stores the hash of a key from elsewhere; `validateCustomKey` checks it first. */
export async function storeKey(database: MetadataQueries, key: string, order: NewKey): Promise<ApiKey | 'key_taken'> {
  const { organizationId, region, name, permissions, at, personId = null } = order;
  return createApiKey(database, {
    organizationId,
    name,
    permissions,
    keyHash: hashKey(key),
    prefix: displayPrefix(key, region),
    createdAt: at,
    personId,
  });
}
