import { textTable } from '../../config/text-table.ts';
import { listApiKeys, type ApiKey } from '../../metadata/organization/api-keys.ts';
import { listOrganizations } from '../../metadata/organization/organizations.ts';
import { withDatabase, type CommandContext } from '../base/dependencies.ts';
import { chosenOrganization } from '../base/organization-choice.ts';

/** `gatelog keys list`: a table of all keys or of one organisation's, oldest first. */
export async function showKeys(context: CommandContext, { org }: { readonly org?: string }): Promise<void> {
  const { keys, names } = await withDatabase(context, async (database) => {
    const organizationId = org === undefined ? undefined : (await chosenOrganization(database, org)).id;
    const organizations = await listOrganizations(database);
    return { keys: await listApiKeys(database, organizationId), names: new Map(organizations.map(({ id, name }) => [id, name])) };
  });
  if (keys.length === 0) context.hint('There are no keys; make one with: gatelog keys create --org NAME');
  const rows = keys.map((key) => [
    key.id,
    `${key.prefix}…`,
    key.permissions,
    isoTime(key.createdAt),
    stateOf(key),
    names.get(key.organizationId) ?? '',
    key.name,
  ]);
  context.print(textTable([['ID', 'KEY', 'PERMISSIONS', 'CREATED', 'STATE', 'ORGANISATION', 'NAME'], ...rows]));
}

function stateOf({ revokedAt }: ApiKey): string {
  return revokedAt === null ? 'active' : `revoked ${isoTime(revokedAt)}`;
}

function isoTime(unixMs: number): string {
  return new Date(unixMs).toISOString();
}
