import type { ShownProviderKey } from '../../../auth/provider-keys.ts';
import { may, type Principal } from '../../../model/principal.ts';

/** @param principal only who may administer keys is shown characters of them. */
export function itemOf({ id, provider, name, hint, createdAt, readable }: ShownProviderKey, principal: Principal): object {
  return { id, provider, name, hint: may(principal, 'administer') ? hint : null, created_at: new Date(createdAt).toISOString(), readable };
}
