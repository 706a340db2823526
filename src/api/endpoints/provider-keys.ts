import { looksLikeOurKey } from '../../auth/api-key.ts';
import type { ProviderKeyView } from '../../auth/provider-keys.ts';
import { unwrap } from '../../contract/fault.ts';
import { doneSchema } from '../../contract/responses.ts';
import { newProviderKeySchema, providerKeyAnswerSchema, providerKeysAnswerSchema } from '../../contract/settings/provider-keys.ts';
import { GatelogError } from '../../model/errors.ts';
import { bodyFault, type FaultPath } from '../../model/fault.ts';
import { may, type Principal } from '../../model/principal.ts';
import { providerKeyLimits } from '../../model/vocabulary/limits.ts';
import { type DataOf, endpoint } from '../endpoint/endpoint.ts';
import { uuidParameter } from '../http/path-parameter.ts';

const id = uuidParameter('Identifier of the stored key, as the list shows it.', noSuchKey);

export const providerKeys = [
  endpoint({
    at: 'POST /v1/provider-keys',
    id: 'addProviderKey',
    summary: 'Store a key of a provider',
    text: 'Takes a key with the permission `admin`. The gateway sends the stored key where a caller brings none for the provider: the newest that has no name, else the newest. It goes to the address of that provider alone, never to one in `Svc-Target-Url`. To replace one, store the new one and then delete the old one.',
    action: 'administer',
    body: newProviderKeySchema,
    example: { provider: 'openai', key: 'sk-of-the-provider', name: 'production' },
    answer: providerKeyAnswerSchema,
    answered: 'Stored.',
    errors: [400, 413, 415, 422],
    run: async ({ tenant, principal, ports, body: { provider, key, name = null } }) => {
      if (looksLikeOurKey(key)) unwrap(bodyFault(['key'], `This is a key of Gatelog; \`key\` is the one that ${provider} gave you.`));
      const stored = await ports.providerKeys.add(tenant, { provider, key, name });
      if (typeof stored !== 'string') return itemOf(stored, principal);
      const { path, sentence } = refusals[stored];
      return unwrap(bodyFault(path, sentence));
    },
  }),
  endpoint({
    at: 'GET /v1/provider-keys',
    id: 'listProviderKeys',
    summary: 'List the keys of providers that the organisation has stored',
    text: 'The newest first. No key is shown, only its last characters to a key with the permission `admin`.',
    action: 'read',
    answer: providerKeysAnswerSchema,
    answered: 'The keys.',
    run: async ({ tenant, principal, ports }) => (await ports.providerKeys.list(tenant)).map((key) => itemOf(key, principal)),
  }),
  endpoint({
    at: 'DELETE /v1/provider-keys/{id}',
    id: 'deleteProviderKey',
    summary: 'Delete a stored key of a provider',
    text: 'Takes a key with the permission `admin`. Gateways stop sending it within five seconds.',
    action: 'administer',
    params: { id },
    answer: doneSchema,
    answered: 'Deleted.',
    errors: [404, 413],
    run: async ({ tenant, ports, params }) => {
      if (!(await ports.providerKeys.remove(tenant, params.id))) throw noSuchKey();
      return null;
    },
  }),
];

const refusals: Readonly<Record<'name_taken' | 'too_many', { readonly path: FaultPath; readonly sentence: string }>> = {
  name_taken: { path: ['name'], sentence: 'The provider has a key of this name already; delete that one first, or write another name.' },
  too_many: {
    path: [],
    sentence: `An organisation stores at most ${providerKeyLimits.keys} keys; delete one first (DELETE /v1/provider-keys/{id}).`,
  },
};

/** @param principal only who may administer keys is shown characters of them. */
function itemOf({ createdAt, hint, ...same }: ProviderKeyView, principal: Principal): DataOf<typeof providerKeyAnswerSchema> {
  const { id: keyId, provider, name, readable } = same;
  const created = new Date(createdAt).toISOString();
  return { id: keyId, provider, name, hint: may(principal, 'administer') ? hint : null, created_at: created, readable };
}

function noSuchKey(): GatelogError {
  return new GatelogError('not_found', 'The organisation has stored no such key; GET /v1/provider-keys lists them.');
}
