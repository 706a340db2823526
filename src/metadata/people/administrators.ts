import type { OrganizationId } from '../../model/ids.ts';
import type { MetadataQueries } from '../database.ts';

/**
 * Whether somebody administers the organisation beside this one: a key of its own, or a member. Keys of members do not count, as they end
 * with their person. @param id of a key or of a person.
 */
export async function hasOtherAdministrator({ queries }: MetadataQueries, organizationId: OrganizationId, id: string): Promise<boolean> {
  const key = await queries
    .selectFrom('api_keys')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('person_id', 'is', null)
    .where('revoked_at', 'is', null)
    .where('permissions', '=', 'admin')
    .where('id', '!=', id)
    .limit(1)
    .executeTakeFirst();
  if (key !== undefined) return true;
  const member = await queries
    .selectFrom('memberships')
    .select('person_id')
    .where('organization_id', '=', organizationId)
    .where('permissions', '=', 'admin')
    .where('person_id', '!=', id)
    .limit(1)
    .executeTakeFirst();
  return member !== undefined;
}
