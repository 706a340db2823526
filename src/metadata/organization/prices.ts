import type { OrganizationId } from '../../model/ids.ts';
import type { StoredPrice } from '../../model/pricing/stored-price.ts';
import type { MetadataDatabase, MetadataQueries } from '../database.ts';

/** The stored prices of an organisation, in their given order. */
export async function listOrganizationPrices(
  { queries }: MetadataQueries,
  organizationId: OrganizationId,
): Promise<readonly StoredPrice[]> {
  const row = await queries
    .selectFrom('organization_prices')
    .select('prices')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return pricesOf(row);
}

/** Replaces the prices of an organisation; durable on return in the core. @param at Unix milliseconds. */
export async function replaceOrganizationPrices(
  { queries }: MetadataQueries,
  { organizationId, prices, at }: { readonly organizationId: OrganizationId; readonly prices: readonly StoredPrice[]; readonly at: number },
): Promise<void> {
  const row = { prices: JSON.stringify(prices), changed_at: at };
  await queries
    .insertInto('organization_prices')
    .values({ organization_id: organizationId, ...row })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
    .execute();
}

/** Prepares the look-up of an organisation's prices; some microseconds each. @returns a function that throws when the database cannot be read. */
export function makeOrganizationPriceLookUp(database: MetadataDatabase): (organizationId: OrganizationId) => readonly StoredPrice[] {
  const statement = database.prepare<{ readonly prices: string }>(
    database.queries.selectFrom('organization_prices').select('prices').where('organization_id', '=', ''),
  );
  return (organizationId) => pricesOf(statement.first(organizationId));
}

function pricesOf(row: { readonly prices: string } | undefined): readonly StoredPrice[] {
  return row === undefined ? [] : (JSON.parse(row.prices) as readonly StoredPrice[]);
}
