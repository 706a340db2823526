import type { ShownProviderKey } from '../../../auth/provider-keys.ts';

/** A stored key as answers show it. */
export function itemOf({ id, provider, name, hint, createdAt, readable }: ShownProviderKey): object {
  return { id, provider, name, hint, created_at: new Date(createdAt).toISOString(), readable };
}
