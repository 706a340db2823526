import { hashKey } from '../../auth/api-key.ts';
import { findApiKeys, revokeApiKey, type ApiKey } from '../../metadata/organization/api-keys.ts';
import { CommandError, withDatabase, type CommandContext } from '../base/dependencies.ts';

/** `gatelog keys revoke`: by id, by the prefix that `keys list` shows, or by the whole key. Prints the id of the revoked key. */
export async function revokeKey(context: CommandContext, reference: string): Promise<void> {
  await withDatabase(context, async (database) => {
    const found = await findApiKeys(database, { idOrPrefix: reference.replace(/(…|\.\.\.)$/, ''), keyHash: hashKey(reference) });
    const key = theOne(found);
    await revokeApiKey(database, { id: key.id }, context.now());
    context.print(key.id);
    context.hint(`Revoked ${key.prefix}… ("${key.name}"). Running gateways refuse it within 5 seconds.`);
  });
}

function theOne(found: readonly ApiKey[]): ApiKey {
  const active = found.filter(({ revokedAt }) => revokedAt === null);
  const [key, another] = active;
  if (another !== undefined) {
    throw new CommandError(`${active.length} keys start like that; name one by its id: ${active.map(({ id }) => id).join(', ')}.`);
  }
  if (key !== undefined) return key;
  throw new CommandError(
    found.length > 0 ? 'This key is already revoked.' : 'There is no such key; "gatelog keys list" shows ids and prefixes.',
  );
}
