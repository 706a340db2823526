import type { OrganizationId } from '../../model/ids.ts';
import type { MetadataQueries } from '../database.ts';

/** Tables of what an organisation makes and removes by its identifier. */
type Owned = 'alert_rules' | 'boards' | 'provider_keys' | 'saved_views' | 'webhooks';

/** Durable on return in the core. @returns false when the organisation has none of this identifier. */
export async function deleteRow({ queries }: MetadataQueries, table: Owned, organizationId: OrganizationId, id: string): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom(table)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
