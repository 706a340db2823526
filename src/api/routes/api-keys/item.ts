import type { ShownApiKey } from '../../../contract/settings/api-keys.ts';
import type { ApiKey } from '../../../metadata/organization/api-keys.ts';
import { GatelogError } from '../../../model/errors.ts';

export function itemOf({ id, name, permissions, keyHash, prefix, createdAt, revokedAt }: ApiKey): ShownApiKey {
  return {
    id,
    api_key_name: name,
    key_permissions: permissions,
    api_key_hash: keyHash,
    prefix,
    created_at: new Date(createdAt).toISOString(),
    revoked_at: revokedAt === null ? null : new Date(revokedAt).toISOString(),
  };
}

export function noSuchKey(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such key, or it is revoked; GET /v1/api-keys lists the keys.');
}

/** A sentence that says what to do before the last key that administers the organisation goes. */
export const lastAdmin =
  'This is the only key with the permission admin, and without one nobody can manage the organisation through the API. Create another admin key first; on the machine `gatelog keys` works without one.';
