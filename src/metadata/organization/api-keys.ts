import { v7 } from 'uuid';
import type { OrganizationId } from '../../model/ids.ts';
import { commonPermissions, type KeyPermissions, type Principal } from '../../model/principal.ts';
import type { MetadataDatabase, MetadataQueries } from '../database.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';
import { hasOtherAdministrator } from '../people/administrators.ts';
import type { ApiKeyRow } from '../schema/schema.ts';

/** A key as stored: by its hash, never itself. Times are Unix milliseconds. */
export interface ApiKey {
  readonly id: string;
  readonly organizationId: OrganizationId;
  readonly name: string;
  readonly keyHash: string;
  /** The key's first characters, for people. */
  readonly prefix: string;
  readonly permissions: KeyPermissions;
  readonly createdAt: number;
  readonly revokedAt: number | null;
  /** Whose it is; null: the organisation's. */
  readonly personId: string | null;
}

export type NewApiKey = Omit<ApiKey, 'id' | 'revokedAt'>;

const columns = ['id', 'organization_id', 'name', 'key_hash', 'prefix', 'permissions', 'created_at', 'revoked_at', 'person_id'] as const;

/** Stores a key. `key_taken`: the same key exists, in any organisation and even revoked. */
export async function createApiKey({ queries }: MetadataQueries, key: NewApiKey): Promise<ApiKey | 'key_taken'> {
  const inserted = await queries
    .insertInto('api_keys')
    .values({
      id: v7(),
      organization_id: key.organizationId,
      name: key.name,
      key_hash: key.keyHash,
      prefix: key.prefix,
      permissions: key.permissions,
      created_at: key.createdAt,
      revoked_at: null,
      person_id: key.personId,
    })
    .onConflict((conflict) => conflict.column('key_hash').doNothing())
    .returning(columns)
    .executeTakeFirst();
  return inserted === undefined ? 'key_taken' : apiKeyOf(inserted);
}

/** Keys of one organisation or of all, oldest first, revoked ones included. */
export async function listApiKeys({ queries }: MetadataQueries, organizationId?: OrganizationId): Promise<readonly ApiKey[]> {
  let query = queries.selectFrom('api_keys').select(columns).orderBy('created_at').orderBy('id');
  if (organizationId !== undefined) query = query.where('organization_id', '=', organizationId);
  return (await query.execute()).map(apiKeyOf);
}

/** Finds keys by id, by the prefix that lists show, or by the hash of the whole key. */
export async function findApiKeys(
  { queries }: MetadataQueries,
  reference: { readonly idOrPrefix: string; readonly keyHash: string },
): Promise<readonly ApiKey[]> {
  const rows = await queries
    .selectFrom('api_keys')
    .select(columns)
    .where((row) =>
      row.or([row('id', '=', reference.idOrPrefix), row('prefix', '=', reference.idOrPrefix), row('key_hash', '=', reference.keyHash)]),
    )
    .orderBy('created_at')
    .execute();
  return rows.map(apiKeyOf);
}

/**
 * Revokes a key for good. @param key with `organizationId`, only a key of that organisation. @param at Unix milliseconds. @returns false
 * when there is no such key or it was revoked before.
 */
export async function revokeApiKey(
  { queries }: MetadataQueries,
  key: { readonly id: string; readonly organizationId?: OrganizationId },
  at: number,
): Promise<boolean> {
  let update = queries.updateTable('api_keys').set({ revoked_at: at }).where('id', '=', key.id).where('revoked_at', 'is', null);
  if (key.organizationId !== undefined) update = update.where('organization_id', '=', key.organizationId);
  const { numUpdatedRows } = await update.executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export interface ApiKeyChange {
  readonly name?: string | undefined;
  readonly permissions?: KeyPermissions | undefined;
  readonly revoked?: true;
}

/** @param personId only keys of this person. */
export async function countValidKeys({ queries }: MetadataQueries, organizationId: OrganizationId, personId?: string): Promise<number> {
  let valid = queries.selectFrom('api_keys').where('organization_id', '=', organizationId).where('revoked_at', 'is', null);
  if (personId !== undefined) valid = valid.where('person_id', '=', personId);
  const { count } = await valid.select((row) => row.fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  return count;
}

/**
 * Renames a valid key of an organisation, gives it other permissions or revokes it. Durable on return in the core. @returns the changed key;
 * `last_admin` when nobody would administer the organisation any more, and nothing is changed then; undefined for an unknown or revoked
 * key.
 */
export async function changeApiKey(
  database: MetadataQueries,
  { organizationId, id, at }: { readonly organizationId: OrganizationId; readonly id: string; readonly at: number },
  { name, permissions, revoked }: ApiKeyChange,
): Promise<ApiKey | 'last_admin' | undefined> {
  return inWriteTransaction(database, async ({ queries }) => {
    const valid = (await listApiKeys({ queries }, organizationId)).filter(({ revokedAt }) => revokedAt === null);
    const key = valid.find((one) => one.id === id);
    if (key === undefined) return undefined;
    const changed: ApiKey = {
      ...key,
      name: name ?? key.name,
      permissions: permissions ?? key.permissions,
      revokedAt: revoked === true ? at : null,
    };
    const isAdmin = (one: ApiKey): boolean => one.permissions === 'admin' && one.revokedAt === null && one.personId === null;
    if (isAdmin(key) && !isAdmin(changed) && !(await hasOtherAdministrator({ queries }, organizationId, id))) return 'last_admin';
    await queries
      .updateTable('api_keys')
      .set({ name: changed.name, permissions: changed.permissions, revoked_at: changed.revokedAt })
      .where('id', '=', id)
      .execute();
    return changed;
  });
}

/**
 * Prepares the look-up of valid keys by hash; some microseconds each. A person's key is valid while its person is a member who has signed in
 * since `signedInSince`, and allows no more than the person may. The tables must exist. @param signedInSince Unix milliseconds.
 * @returns a function that throws when the database cannot be read.
 */
export function makeKeyLookUp(
  database: MetadataDatabase,
  signedInSince: () => number = () => 0,
): (keyHash: string) => Principal | undefined {
  const statement = database.prepare(
    database.queries
      .selectFrom('api_keys as key')
      .leftJoin('memberships as member', (join) =>
        join.onRef('member.person_id', '=', 'key.person_id').onRef('member.organization_id', '=', 'key.organization_id'),
      )
      .leftJoin('people as person', 'person.id', 'key.person_id')
      .select([
        'key.id',
        'key.organization_id',
        'key.permissions',
        'key.person_id',
        'member.permissions as person_permissions',
        'person.signed_in_at',
      ])
      .where('key.key_hash', '=', '')
      .where('key.revoked_at', 'is', null),
  );
  return (keyHash) => {
    const row = statement.first(keyHash);
    if (row === undefined) return undefined;
    const key = { organizationId: row.organization_id as OrganizationId, keyId: row.id, keyHash };
    if (row.person_id === null) return { ...key, permissions: row.permissions };
    // Who has left the issuer is not told to us; who is still there signs in now and then.
    if (row.signed_in_at === null || row.signed_in_at < signedInSince()) return undefined;
    const permissions = row.person_permissions === null ? undefined : commonPermissions(row.permissions, row.person_permissions);
    return permissions && { ...key, permissions, personId: row.person_id };
  };
}

function apiKeyOf(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    organizationId: row.organization_id as OrganizationId,
    name: row.name,
    keyHash: row.key_hash,
    prefix: row.prefix,
    permissions: row.permissions,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    personId: row.person_id,
  };
}
