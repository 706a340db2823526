import { issueKey, type NewKey } from '../../auth/issue-key.ts';
import { checkedName, withDatabase, type CommandContext } from '../base/dependencies.ts';
import { chosenOrganization } from '../base/organization-choice.ts';

export interface KeysCreateOptions {
  /** Name or id of the organisation. */
  readonly org: string;
  readonly permissions: NewKey['permissions'];
  readonly name: string;
}

/** `gatelog keys create`: prints the key alone on standard output, once, so that a script can capture it. */
export async function createKey(context: CommandContext, { org, permissions, name: text }: KeysCreateOptions): Promise<void> {
  const { config, now } = context;
  const name = checkedName(text);
  await withDatabase(context, async (database) => {
    const organization = await chosenOrganization(database, org);
    const { key, apiKey } = await issueKey(database, {
      organizationId: organization.id,
      region: config.region,
      name,
      permissions,
      at: now(),
    });
    context.print(key);
    context.hint(
      `Key ${apiKey.id} of "${organization.name}" with the permissions ${permissions}. It is shown only now; keep it, for example as GATELOG_API_KEY.`,
    );
  });
}
