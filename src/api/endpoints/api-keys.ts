import { z } from 'zod';
import { unwrap } from '../../contract/fault.ts';
import { doneSchema } from '../../contract/responses.ts';
import {
  apiKeyAnswerSchema,
  apiKeyChangeSchema,
  apiKeysAnswerSchema,
  apiKeysParametersSchema,
  issuedApiKeyAnswerSchema,
  newApiKeySchema,
  type ApiKeyView,
} from '../../contract/settings/api-keys.ts';
import type { ApiKey } from '../../metadata/organization/api-keys.ts';
import { GatelogError } from '../../model/errors.ts';
import { bodyFault } from '../../model/fault.ts';
import { parseUuid } from '../../model/ids.ts';
import { apiKeyLimits } from '../../model/vocabulary/limits.ts';
import { endpoint } from '../endpoint/endpoint.ts';

/** Undefined for a text that is no UUID: the body is looked at first. */
const id = { schema: z.string().meta({ param: { name: 'id', in: 'path' }, format: 'uuid' }), read: parseUuid };

export const apiKeys = [
  endpoint({
    at: 'POST /v1/api-keys',
    id: 'addApiKey',
    summary: 'Create a key of the organisation',
    text: 'Takes a key with the permission `admin`. The answer is the only place that shows the new key; the service keeps its SHA-256.',
    action: 'administer',
    body: newApiKeySchema,
    example: { api_key_name: 'checkout', key_permissions: 'rw' },
    answer: issuedApiKeyAnswerSchema,
    answered: 'Created.',
    errors: [400, 413, 415, 422],
    run: async ({ tenant, ports, body, context }) => {
      const { api_key_name: name, key_permissions: permissions = 'rw' } = body;
      const issued = await ports.apiKeys.add(tenant, { name: name.trim(), permissions });
      if (issued === 'too_many') {
        const sentence = `An organisation has at most ${apiKeyLimits.keys} valid keys; revoke one first (DELETE /v1/api-keys/{id}).`;
        return unwrap(bodyFault([], sentence));
      }
      context.header('Cache-Control', 'no-store');
      return { id: issued.apiKey.id, apiKey: issued.key, hashedKey: issued.apiKey.keyHash };
    },
  }),
  endpoint({
    at: 'GET /v1/api-keys',
    id: 'listApiKeys',
    summary: 'List the keys of the organisation',
    text: 'Takes a key with the permission `admin`. The valid keys, the oldest first; no key is shown itself.',
    action: 'administer',
    query: apiKeysParametersSchema,
    answer: apiKeysAnswerSchema,
    answered: 'The keys.',
    errors: [422],
    run: async ({ tenant, ports, query: { include_revoked: includeRevoked } }) => {
      const keys = await ports.apiKeys.list(tenant);
      return keys.filter(({ revokedAt }) => revokedAt === null || includeRevoked === 'true').map(itemOf);
    },
  }),
  endpoint({
    at: 'PATCH /v1/api-keys/{id}',
    id: 'changeApiKey',
    summary: 'Rename a key or change its permissions',
    text: 'Takes a key with the permission `admin`. Gateways see other permissions within five seconds. The last valid key with the permission `admin` keeps it.',
    action: 'administer',
    params: { id },
    body: apiKeyChangeSchema,
    example: { api_key_name: 'checkout, second' },
    answer: apiKeyAnswerSchema,
    answered: 'Changed.',
    errors: [400, 404, 413, 415, 422],
    run: async ({ tenant, ports, params, body: { api_key_name: name, key_permissions: permissions } }) => {
      if (params.id === undefined) throw noSuchKey();
      const changed = await ports.apiKeys.change(tenant, params.id, { name: name?.trim(), permissions });
      if (changed === undefined) throw noSuchKey();
      return changed === 'last_admin' ? unwrap(bodyFault(['key_permissions'], lastAdmin)) : itemOf(changed);
    },
  }),
  endpoint({
    at: 'DELETE /v1/api-keys/{id}',
    id: 'revokeApiKey',
    summary: 'Revoke a key for good',
    text: 'Takes a key with the permission `admin`. Gateways and API refuse the key within five seconds. The last valid key with the permission `admin` cannot be revoked.',
    action: 'administer',
    params: { id },
    answer: doneSchema,
    answered: 'Revoked.',
    errors: [404, 413, 422],
    run: async ({ tenant, ports, params }) => {
      const revoked = params.id === undefined ? undefined : await ports.apiKeys.change(tenant, params.id, { revoked: true });
      if (revoked === undefined) throw noSuchKey();
      if (revoked === 'last_admin') throw new GatelogError('invalid_parameter', lastAdmin, { details: { path: 'id' } });
      return null;
    },
  }),
];

function itemOf({ id: keyId, name, permissions, keyHash, prefix, createdAt, revokedAt }: ApiKey): ApiKeyView {
  return {
    id: keyId,
    api_key_name: name,
    key_permissions: permissions,
    api_key_hash: keyHash,
    prefix,
    created_at: new Date(createdAt).toISOString(),
    revoked_at: revokedAt === null ? null : new Date(revokedAt).toISOString(),
  };
}

function noSuchKey(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such key, or it is revoked; GET /v1/api-keys lists the keys.');
}

/** A sentence that says what to do before the last key that administers the organisation goes. */
const lastAdmin =
  'This is the only key with the permission admin, and without one nobody can manage the organisation through the API. Create another admin key first; on the machine `gatelog keys` works without one.';
