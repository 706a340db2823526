import type { ShownProviderKey } from '../../../auth/provider-keys.ts';

export function itemOf({ id, provider, name, hint, createdAt, readable }: ShownProviderKey): object {
  return { id, provider, name, hint, created_at: new Date(createdAt).toISOString(), readable };
}
