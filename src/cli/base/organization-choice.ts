import type { MetadataDatabase } from '../../metadata/database.ts';
import { findOrganization, type Organization } from '../../metadata/organization/organizations.ts';
import { CommandError } from './dependencies.ts';

/** The organisation that `--org` names by its name or id. @throws CommandError when there is none. */
export async function chosenOrganization(database: MetadataDatabase, nameOrId: string): Promise<Organization> {
  const organization = await findOrganization(database, nameOrId);
  if (organization === undefined) {
    throw new CommandError(`There is no organisation "${nameOrId}"; "gatelog orgs list" shows those that exist.`);
  }
  return organization;
}
