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
import { peopleLimits } from '../../model/people.ts';
import { commonPermissions, type KeyPermissions, may, type Principal } from '../../model/principal.ts';
import { apiKeyLimits } from '../../model/vocabulary/limits.ts';
import { permitted } from '../endpoint/authenticate.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import type { ApiPorts } from '../endpoint/ports.ts';

/** Undefined for a text that is no UUID: the body is looked at first. */
const id = { schema: z.string().meta({ param: { name: 'id', in: 'path' }, format: 'uuid' }), read: parseUuid };

export const apiKeys = [
  endpoint({
    at: 'POST /v1/api-keys',
    id: 'addApiKey',
    summary: 'Create a key of the organisation',
    text: 'Takes the permission `admin`; a person who has signed in makes keys of their own without it, with no more than their own permissions. The answer is the only place that shows the new key; the service keeps its SHA-256.',
    action: 'own',
    body: newApiKeySchema,
    example: { api_key_name: 'checkout', key_permissions: 'rw' },
    answer: issuedApiKeyAnswerSchema,
    answered: 'Created.',
    errors: [400, 413, 415, 422],
    run: async ({ tenant, principal, ports, body, context }) => {
      const { api_key_name: name, key_permissions: permissions = defaultPermissions(principal), service } = body;
      const personId = ownerOf(principal, service);
      refuseMore(principal, permissions);
      const issued = await ports.apiKeys.add(tenant, { name: name.trim(), permissions, ...(personId === undefined ? {} : { personId }) });
      if (issued === 'too_many_of_person') {
        return unwrap(
          bodyFault(
            [],
            `A person has at most ${peopleLimits.keys} valid keys in an organisation; revoke one first (DELETE /v1/api-keys/{id}).`,
          ),
        );
      }
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
    text: 'Those of the organisation and of all its people, with the permission `admin`; a person who has signed in sees their own without it. The valid keys, the oldest first; no key is shown itself.',
    action: 'own',
    query: apiKeysParametersSchema,
    answer: apiKeysAnswerSchema,
    answered: 'The keys.',
    errors: [422],
    run: async ({ tenant, principal, ports, query: { include_revoked: includeRevoked } }) => {
      const keys = (await ports.apiKeys.list(tenant)).filter((key) => isTheirs(principal, key));
      return keys.filter(({ revokedAt }) => revokedAt === null || includeRevoked === 'true').map(itemOf);
    },
  }),
  endpoint({
    at: 'PATCH /v1/api-keys/{id}',
    id: 'changeApiKey',
    summary: 'Rename a key or change its permissions',
    text: 'Takes the permission `admin`; a person who has signed in changes their own keys without it. Gateways see other permissions within five seconds. Where nobody else administers the organisation, a key with the permission `admin` keeps it.',
    action: 'own',
    params: { id },
    body: apiKeyChangeSchema,
    example: { api_key_name: 'checkout, second' },
    answer: apiKeyAnswerSchema,
    answered: 'Changed.',
    errors: [400, 404, 413, 415, 422],
    run: async ({ tenant, principal, ports, params, body: { api_key_name: name, key_permissions: permissions } }) => {
      if (params.id === undefined || !(await isKeyOf(ports, principal, params.id))) throw noSuchKey();
      if (permissions !== undefined) refuseMore(principal, permissions);
      const changed = await ports.apiKeys.change(tenant, params.id, { name: name?.trim(), permissions });
      if (changed === undefined) throw noSuchKey();
      return changed === 'last_admin' ? unwrap(bodyFault(['key_permissions'], lastAdmin)) : itemOf(changed);
    },
  }),
  endpoint({
    at: 'DELETE /v1/api-keys/{id}',
    id: 'revokeApiKey',
    summary: 'Revoke a key for good',
    text: 'Takes the permission `admin`; a person who has signed in revokes their own keys without it. Gateways and API refuse the key within five seconds. Where nobody else administers the organisation, a key with the permission `admin` cannot be revoked.',
    action: 'own',
    params: { id },
    answer: doneSchema,
    answered: 'Revoked.',
    errors: [404, 413, 422],
    run: async ({ tenant, principal, ports, params }) => {
      if (params.id === undefined || !(await isKeyOf(ports, principal, params.id))) throw noSuchKey();
      const revoked = await ports.apiKeys.change(tenant, params.id, { revoked: true });
      if (revoked === undefined) throw noSuchKey();
      if (revoked === 'last_admin') throw new GatelogError('invalid_parameter', lastAdmin, { details: { path: 'id' } });
      return null;
    },
  }),
];

/** Whose a new key is; undefined: the organisation's. @throws GatelogError 403, 422. */
function ownerOf(principal: Principal, service: boolean | undefined): string | undefined {
  if (service === true) permitted(principal, 'administer');
  if (service === false && principal.personId === undefined) return unwrap(bodyFault(['service'], noPerson));
  return service === true ? undefined : principal.personId;
}

function defaultPermissions({ personId, permissions }: Principal): KeyPermissions {
  return personId !== undefined && permissions === 'r' ? 'r' : 'rw';
}

/** @throws GatelogError 403: nobody makes a key that may more than they. */
function refuseMore(principal: Principal, wanted: KeyPermissions): void {
  if (commonPermissions(principal.permissions, wanted) === wanted) return;
  throw new GatelogError(
    'permission_denied',
    `A key may no more than you, which is "${principal.permissions}"; write that for \`key_permissions\`.`,
    {
      details: { path: 'key_permissions', permissions: principal.permissions },
    },
  );
}

/** Whether the caller may see and change a key. */
function isTheirs(principal: Principal, { personId }: ApiKey): boolean {
  return may(principal, 'administer') || (principal.personId !== undefined && personId === principal.personId);
}

async function isKeyOf(ports: ApiPorts, principal: Principal, keyId: string): Promise<boolean> {
  return (await ports.apiKeys.list(principal.organizationId)).some((key) => key.id === keyId && isTheirs(principal, key));
}

function itemOf({ id: keyId, name, permissions, keyHash, prefix, createdAt, revokedAt, personId }: ApiKey): ApiKeyView {
  return {
    id: keyId,
    api_key_name: name,
    key_permissions: permissions,
    api_key_hash: keyHash,
    prefix,
    person_id: personId,
    created_at: new Date(createdAt).toISOString(),
    revoked_at: revokedAt === null ? null : new Date(revokedAt).toISOString(),
  };
}

function noSuchKey(): GatelogError {
  return new GatelogError('not_found', 'The organisation has no such key, or it is revoked; GET /v1/api-keys lists the keys.');
}

const noPerson = 'Only a person who has signed in has keys of their own; leave `service` out, and the key is the organisation’s.';

/** A sentence that says what to do before the last key that administers the organisation goes. */
const lastAdmin =
  'Nobody else administers the organisation: this is the only key of its own with the permission admin, and no person has it. Create another admin key first; on the machine `gatelog keys` works without one.';
