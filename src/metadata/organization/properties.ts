import type { OrganizationId } from '../../model/ids.ts';
import type { MetadataQueries } from '../database.ts';
import { inWriteTransaction } from '../../platform/sqlite/database.ts';

/** A property whose spelling an organisation has declared. */
export interface DeclaredProperty {
  readonly name: string;
  /** The name in lower case, for headers whose case was lost. */
  readonly lowerName: string;
  readonly hidden: boolean;
  /** Unix milliseconds of the latest declaration. */
  readonly declaredAt: number;
}

/**
 * Declares a property; the same name in another case replaces the spelling. Durable on return in the core. @returns the replaced spelling;
 * undefined when there was none or the same one.
 */
export async function declareProperty(
  database: MetadataQueries,
  { organizationId, name, at }: { readonly organizationId: OrganizationId; readonly name: string; readonly at: number },
): Promise<string | undefined> {
  const lowerName = name.toLowerCase();
  return inWriteTransaction(database, async ({ queries }) => {
    const earlier = await queries
      .selectFrom('property_declarations')
      .select('name')
      .where('organization_id', '=', organizationId)
      .where('lower_name', '=', lowerName)
      .executeTakeFirst();
    await queries
      .insertInto('property_declarations')
      .values({ organization_id: organizationId, name, lower_name: lowerName, hidden: 0, declared_at: at })
      .onConflict((conflict) => conflict.columns(['organization_id', 'lower_name']).doUpdateSet({ name, declared_at: at }))
      .execute();
    return earlier?.name === name ? undefined : earlier?.name;
  });
}

/** The declared properties of an organisation, ordered by lower-case name. */
export async function listDeclaredProperties(
  { queries }: MetadataQueries,
  organizationId: OrganizationId,
): Promise<readonly DeclaredProperty[]> {
  const rows = await queries
    .selectFrom('property_declarations')
    .select(['name', 'lower_name', 'hidden', 'declared_at'])
    .where('organization_id', '=', organizationId)
    .orderBy('lower_name')
    .execute();
  return rows.map((row) => ({ name: row.name, lowerName: row.lower_name, hidden: row.hidden === 1, declaredAt: row.declared_at }));
}

/** Names that lists leave out, in the order of their bytes. */
export async function listHiddenProperties({ queries }: MetadataQueries, organizationId: OrganizationId): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom('hidden_properties')
    .select('name')
    .where('organization_id', '=', organizationId)
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

/**
 * Hides a name from lists. Durable on return in the core. @param max hidden names of an organisation. @returns false when there are as many
 * already; nothing is changed then.
 */
export async function hideProperty(
  database: MetadataQueries,
  { organizationId, name, at }: { readonly organizationId: OrganizationId; readonly name: string; readonly at: number },
  max: number,
): Promise<boolean> {
  return inWriteTransaction(database, async (transaction) => {
    const hidden = await listHiddenProperties(transaction, organizationId);
    if (hidden.includes(name)) return true;
    if (hidden.length >= max) return false;
    await transaction.queries.insertInto('hidden_properties').values({ organization_id: organizationId, name, hidden_at: at }).execute();
    return true;
  });
}

/** Shows a hidden name in lists again. Durable on return in the core. */
export async function restoreProperty({ queries }: MetadataQueries, organizationId: OrganizationId, name: string): Promise<void> {
  await queries.deleteFrom('hidden_properties').where('organization_id', '=', organizationId).where('name', '=', name).execute();
}
