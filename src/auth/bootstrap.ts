import { inWriteTransaction, type MetadataQueries } from '../metadata/database.ts';
import { createOrganization, listOrganizations } from '../metadata/organization/organizations.ts';
import { generateKey, validateCustomKey } from './api-key.ts';
import { storeKey } from './issue-key.ts';

export interface BootstrapOptions {
  /** The first key, chosen by the operator; without it one is made. */
  readonly bootstrapKey?: string | undefined;
  readonly region: string;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Takes a key that was made, before it is kept: whoever is killed meanwhile has shown one that is none, and the next start makes another. */
  readonly show?: ((apiKey: string) => void) | undefined;
}

export type BootstrapResult = { readonly created: true; readonly apiKey: string } | { readonly created: false };

/**
 * Makes the organisation `default` with one `admin` key where no organisation exists yet. Later calls change nothing, also with another
 * `bootstrapKey`. Of several processes at once exactly one creates.
 * @throws Error with a sentence for the operator when `bootstrapKey` cannot be a key; nothing is created then.
 */
export async function bootstrap(
  database: MetadataQueries,
  { bootstrapKey, region, now, show }: BootstrapOptions,
): Promise<BootstrapResult> {
  return inWriteTransaction(database, async (transaction) => {
    if ((await listOrganizations(transaction)).length > 0) return { created: false };
    const problem = bootstrapKey === undefined ? undefined : validateCustomKey(bootstrapKey, region);
    if (problem !== undefined) throw new Error(`GATELOG_BOOTSTRAP_API_KEY cannot be used. ${problem}`);
    const apiKey = bootstrapKey ?? generateKey(region);
    const organization = await createOrganization(transaction, 'default', now());
    if (organization === 'name_taken') throw new Error('The organisation "default" appeared while it was made.');
    const stored = await storeKey(transaction, apiKey, {
      organizationId: organization.id,
      region,
      name: 'bootstrap',
      permissions: 'admin',
      at: now(),
    });
    if (stored === 'key_taken') throw new Error('The bootstrap key appeared while it was stored.');
    if (bootstrapKey === undefined) show?.(apiKey);
    return { created: true, apiKey };
  });
}
