import { createOrganization } from '../../metadata/organizations.ts';
import { checkedName, CommandError, withDatabase, type CommandContext } from '../dependencies.ts';

/** `gatelog orgs create NAME`: prints the new organisation's id. */
export async function createOrganizationByName(context: CommandContext, text: string): Promise<void> {
  const name = checkedName(text);
  const organization = await withDatabase(context, async (database) => createOrganization(database, name, context.now()));
  if (organization === 'name_taken') throw new CommandError(`There is an organisation "${name}" already; choose another name.`);
  context.print(organization.id);
  context.hint(`Created the organisation "${name}". A key for it: gatelog keys create --org "${name}"`);
}
