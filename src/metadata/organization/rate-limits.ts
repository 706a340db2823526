import type { OrganizationId } from '../../model/ids.ts';
import { inWriteTransaction, type MetadataDatabase, type MetadataQueries } from '../database.ts';

export interface StoredLimit {
  /** The policy as written; it was checked before it was stored. */
  readonly policy: string;
  /** The key whose calls it limits; null: all keys. */
  readonly keyId: string | null;
}

/** The limits of an organisation in their given order. */
export async function listRateLimits({ queries }: MetadataQueries, organizationId: OrganizationId): Promise<readonly StoredLimit[]> {
  const row = await queries.selectFrom('rate_limits').select('limits').where('organization_id', '=', organizationId).executeTakeFirst();
  return limitsOf(row);
}

/**
 * Replaces the limits of an organisation; durable on return in the core. @param at Unix milliseconds. @returns a key among them that the
 * organisation lacks or has revoked; nothing is changed then.
 */
export async function replaceRateLimits(
  database: MetadataQueries,
  { organizationId, limits, at }: { readonly organizationId: OrganizationId; readonly limits: readonly StoredLimit[]; readonly at: number },
): Promise<{ readonly unknownKey: string } | undefined> {
  return inWriteTransaction(database, async ({ queries }) => {
    const keys = await queries
      .selectFrom('api_keys')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('revoked_at', 'is', null)
      .execute();
    const known = new Set(keys.map(({ id }) => id));
    const unknown = limits.find(({ keyId }) => keyId !== null && !known.has(keyId))?.keyId;
    if (unknown !== undefined && unknown !== null) return { unknownKey: unknown };
    const row = { limits: JSON.stringify(limits), changed_at: at };
    await queries
      .insertInto('rate_limits')
      .values({ organization_id: organizationId, ...row })
      .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
      .execute();
    return undefined;
  });
}

/** Prepares the look-up of an organisation's limits; some microseconds each. @returns a function that throws when the database cannot be read. */
export function makeRateLimitLookUp(database: MetadataDatabase): (organizationId: OrganizationId) => readonly StoredLimit[] {
  const statement = database.prepare<{ readonly limits: string }>(
    database.queries.selectFrom('rate_limits').select('limits').where('organization_id', '=', ''),
  );
  return (organizationId) => limitsOf(statement.first(organizationId));
}

function limitsOf(row: { readonly limits: string } | undefined): readonly StoredLimit[] {
  return row === undefined ? [] : (JSON.parse(row.limits) as readonly StoredLimit[]);
}
