import type { OrganizationId } from '../../model/ids.ts';
import type { MetadataDatabase, MetadataQueries } from '../database.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import type { ProviderKeyRow } from '../schema/schema.ts';

export interface StoredProviderKey {
  readonly id: string;
  readonly organizationId: OrganizationId;
  readonly provider: string;
  /** Null: the key for calls that name none. */
  readonly name: string | null;
  /** The encrypted key. */
  readonly sealed: string;
  /** The visible part of the key; null when it is too short to show any. */
  readonly hint: string | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Why a key was refused. */
export type ProviderKeyRefusal = 'name_taken' | 'too_many';

const columns = ['id', 'organization_id', 'provider', 'name', 'sealed', 'hint', 'created_at'] as const;

/** Stores a key; durable on return in the core. @param max keys per organisation. @returns undefined once it is stored. */
export async function addProviderKey(
  database: MetadataQueries,
  key: StoredProviderKey,
  max: number,
): Promise<ProviderKeyRefusal | undefined> {
  return inWriteTransaction(database, async ({ queries }) => {
    const existing = await queries
      .selectFrom('provider_keys')
      .select(['provider', 'name'])
      .where('organization_id', '=', key.organizationId)
      .execute();
    if (key.name !== null && existing.some(({ provider, name }) => provider === key.provider && name === key.name)) return 'name_taken';
    if (existing.length >= max) return 'too_many';
    const { organizationId, createdAt, ...rest } = key;
    await queries
      .insertInto('provider_keys')
      .values({ ...rest, organization_id: organizationId, created_at: createdAt })
      .execute();
    return undefined;
  });
}

/** The keys of an organisation, newest first. */
export async function listProviderKeys(
  { queries }: MetadataQueries,
  organizationId: OrganizationId,
): Promise<readonly StoredProviderKey[]> {
  return (await selectKeys({ queries }, organizationId).execute()).map(keyOfRow);
}

/**
 * Prepares the look-up of an organisation's keys, newest first; some microseconds each. @returns a function that throws when the database
 * cannot be read.
 */
export function makeProviderKeyLookUp(database: MetadataDatabase): (organizationId: OrganizationId) => readonly StoredProviderKey[] {
  const statement = database.prepare<ProviderKeyRow>(selectKeys(database, '' as OrganizationId));
  return (organizationId) => statement.all(organizationId).map(keyOfRow);
}

/** Version 7 identifiers order keys of the same millisecond. */
function selectKeys({ queries }: MetadataQueries, organizationId: OrganizationId) {
  return queries
    .selectFrom('provider_keys')
    .select(columns)
    .where('organization_id', '=', organizationId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
}

function keyOfRow({ organization_id, created_at, ...row }: ProviderKeyRow): StoredProviderKey {
  return { ...row, organizationId: organization_id as OrganizationId, createdAt: created_at };
}
