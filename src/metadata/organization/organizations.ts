import { v7 } from 'uuid';
import type { OrganizationId } from '../../model/ids.ts';
import type { MetadataQueries } from '../database.ts';

export interface Organization {
  readonly id: OrganizationId;
  readonly name: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

const columns = ['id', 'name', 'created_at'] as const;

/** Creates an organisation; names are unique and case-sensitive. @param at Unix milliseconds. */
export async function createOrganization({ queries }: MetadataQueries, name: string, at: number): Promise<Organization | 'name_taken'> {
  const inserted = await queries
    .insertInto('organizations')
    .values({ id: v7(), name, created_at: at })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning(columns)
    .executeTakeFirst();
  return inserted === undefined ? 'name_taken' : organizationOf(inserted);
}

/** All organisations, oldest first. */
export async function listOrganizations({ queries }: MetadataQueries): Promise<readonly Organization[]> {
  const rows = await queries.selectFrom('organizations').select(columns).orderBy('created_at').orderBy('id').execute();
  return rows.map(organizationOf);
}

/** The organisation with this name, or else this id. */
export async function findOrganization({ queries }: MetadataQueries, nameOrId: string): Promise<Organization | undefined> {
  const rows = await queries
    .selectFrom('organizations')
    .select(columns)
    .where((row) => row.or([row('name', '=', nameOrId), row('id', '=', nameOrId.toLowerCase())]))
    .execute();
  const found = rows.find((row) => row.name === nameOrId) ?? rows[0];
  return found === undefined ? undefined : organizationOf(found);
}

function organizationOf(row: { readonly id: string; readonly name: string; readonly created_at: number }): Organization {
  return { id: row.id as OrganizationId, name: row.name, createdAt: row.created_at };
}
