import { textTable } from '../../config/text-table.ts';
import { listOrganizations } from '../../metadata/organization/organizations.ts';
import { withDatabase, type CommandContext } from '../base/dependencies.ts';

/** `gatelog orgs list`: a table, oldest first. */
export async function showOrganizations(context: CommandContext): Promise<void> {
  const organizations = await withDatabase(context, listOrganizations);
  if (organizations.length === 0) {
    context.hint(`There is no organisation in ${context.config.dataDir} yet; make one with: gatelog orgs create NAME`);
  }
  context.print(
    textTable([
      ['ID', 'CREATED', 'NAME'],
      ...organizations.map(({ id, createdAt, name }) => [id, new Date(createdAt).toISOString(), name]),
    ]),
  );
}
