import type { OrganizationId } from '../../model/ids.ts';
import type { MetadataQueries } from '../database.ts';

/** Days for which an organisation keeps its records; null: without end. */
export async function readRetention({ queries }: MetadataQueries, organizationId: OrganizationId): Promise<number | null> {
  const row = await queries.selectFrom('retention').select('days').where('organization_id', '=', organizationId).executeTakeFirst();
  return row?.days ?? null;
}

/** Sets the retention; durable on return in the core. @param days null: without end. @param at Unix milliseconds. */
export async function setRetention(
  { queries }: MetadataQueries,
  { organizationId, days, at }: { readonly organizationId: OrganizationId; readonly days: number | null; readonly at: number },
): Promise<void> {
  if (days === null) {
    await queries.deleteFrom('retention').where('organization_id', '=', organizationId).execute();
    return;
  }
  const row = { days, changed_at: at };
  await queries
    .insertInto('retention')
    .values({ organization_id: organizationId, ...row })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(row))
    .execute();
}

/** Organisations with a retention of their own, by its days. */
export async function listRetentions({ queries }: MetadataQueries): Promise<ReadonlyMap<number, readonly OrganizationId[]>> {
  const rows = await queries.selectFrom('retention').select(['organization_id', 'days']).orderBy('days').execute();
  const byDays = new Map<number, OrganizationId[]>();
  for (const { organization_id: organizationId, days } of rows) {
    byDays.set(days, [...(byDays.get(days) ?? []), organizationId as OrganizationId]);
  }
  return byDays;
}
