import { looksLikeOurKey } from '../../../auth/api-key.ts';
import { unwrap } from '../../../contract/fault.ts';
import { bodyFault, type FaultPath } from '../../../model/fault.ts';
import { newProviderKeySchema, providerKeyAnswerSchema } from '../../../contract/settings/provider-keys.ts';
import { providerKeyLimits } from '../../../model/vocabulary/limits.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { itemOf } from './item.ts';
import { readInput } from '../../http/read-input.ts';

export const addProviderKey: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/provider-keys',
    operationId: 'addProviderKey',
    summary: 'Store a key of a provider',
    description:
      'Takes a key with the permission `admin`. The gateway sends the stored key where a caller brings none for the provider: the newest that has no name, else the newest. It goes to the address of that provider alone, never to one in `Svc-Target-Url`. To replace one, store the new one and then delete the old one.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(newProviderKeySchema) } },
    responses: {
      200: { description: 'Stored.', content: jsonContent(providerKeyAnswerSchema) },
      ...problems(400, 413, 415, 422),
    },
  },
  action: 'administer',
  handle: answerAdd,
};

const refusals: Readonly<Record<'name_taken' | 'too_many', { readonly path: FaultPath; readonly sentence: string }>> = {
  name_taken: { path: ['name'], sentence: 'The provider has a key of this name already; delete that one first, or write another name.' },
  too_many: {
    path: [],
    sentence: `An organisation stores at most ${providerKeyLimits.keys} keys; delete one first (DELETE /v1/provider-keys/{id}).`,
  },
};

async function answerAdd({ context, principal, ports }: RequestContext): Promise<Response> {
  const { provider, key, name = null } = await readInput(context, newProviderKeySchema);
  if (looksLikeOurKey(key)) unwrap(bodyFault(['key'], `This is a key of Gatelog; \`key\` is the one that ${provider} gave you.`));
  const stored = await ports.providerKeys.add(principal.organizationId, { provider, key, name });
  if (typeof stored !== 'string') return sendData(context, itemOf(stored, principal));
  const { path, sentence } = refusals[stored];
  return unwrap(bodyFault(path, sentence));
}
