import type { OrganizationId } from '../../model/ids.ts';
import type { MetadataDatabase, MetadataQueries } from '../database.ts';
import type { AlertRulesTable } from '../schema/schema.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';

export interface StoredLimit {
  /** The policy as written; it was checked before it was stored. */
  readonly policy: string;
  /** The only value of its segment whose calls it limits; absent: each value, or there is no segment. */
  readonly value?: string;
  /** The key whose calls it limits; null: all keys. */
  readonly keyId: string | null;
  /** The alert rule that it belongs to: it changes and ends with that. Absent: the list of limits has it. */
  readonly rule?: { readonly id: string; readonly name: string };
}

/** The limits of an organisation in their given order, then those of its alert rules, oldest first. */
export async function listRateLimits({ queries }: MetadataQueries, organizationId: OrganizationId): Promise<readonly StoredLimit[]> {
  const [row] = await listOf(queries, organizationId).execute();
  return [...limitsOf(row), ...(await ofRules(queries, organizationId).execute()).map(limitOfRule)];
}

function listOf(queries: MetadataQueries['queries'], organizationId: string) {
  return queries.selectFrom('rate_limits').select('limits').where('organization_id', '=', organizationId);
}

function ofRules(queries: MetadataQueries['queries'], organizationId: string) {
  return queries
    .selectFrom('alert_rules')
    .select(['id', 'name', 'limit_policy'])
    .where('organization_id', '=', organizationId)
    .where('limit_policy', 'is not', null)
    .orderBy('created_at')
    .orderBy('id');
}

function limitOfRule({ id, name, limit_policy: policy }: LimitingRule): StoredLimit {
  return { policy: policy ?? '', keyId: null, rule: { id, name } };
}

type LimitingRule = Pick<AlertRulesTable, 'id' | 'name' | 'limit_policy'>;

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

/** Prepares the look-up of an organisation's limits, those of its alert rules among them; some microseconds each. @returns a function that throws when the database cannot be read. */
export function makeRateLimitLookUp(database: MetadataDatabase): (organizationId: OrganizationId) => readonly StoredLimit[] {
  const list = database.prepare<{ readonly limits: string }>(listOf(database.queries, ''));
  const rules = database.prepare<LimitingRule>(ofRules(database.queries, ''));
  return (organizationId) => [...limitsOf(list.first(organizationId)), ...rules.all(organizationId).map(limitOfRule)];
}

function limitsOf(row: { readonly limits: string } | undefined): readonly StoredLimit[] {
  return row === undefined ? [] : (JSON.parse(row.limits) as readonly StoredLimit[]);
}
