import path from 'node:path';
import { hasMetadata } from '../../metadata/metadata-file.ts';
import { createOrganization } from '../../metadata/organization/organizations.ts';
import { checkedName, CommandError, withDatabaseMade, type CommandContext } from '../base/dependencies.ts';

/** `gatelog orgs create NAME`: prints the new organisation's id. */
export async function createOrganizationByName(context: CommandContext, text: string): Promise<void> {
  const name = checkedName(text);
  const { dataDir } = context.config;
  const isFirst = !hasMetadata(dataDir);
  const organization = await withDatabaseMade(context, async (database) => createOrganization(database, name, context.now()));
  if (organization === 'name_taken') throw new CommandError(`There is an organisation "${name}" already; choose another name.`);
  context.print(organization.id);
  if (isFirst) context.hint(`Made the data folder ${path.resolve(dataDir)}; GATELOG_DATA_DIR names another.`);
  context.hint(`Created the organisation "${name}". A key for it: gatelog keys create --org "${name}"`);
}
