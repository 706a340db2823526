import { unwrap } from '../../../contract/fault.ts';
import { issuedApiKeyAnswerSchema, newApiKeySchema } from '../../../contract/settings/api-keys.ts';
import { bodyFault } from '../../../model/fault.ts';
import { apiKeyLimits } from '../../../model/vocabulary/limits.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readInput } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';

export const addApiKey: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/api-keys',
    operationId: 'addApiKey',
    summary: 'Create a key of the organisation',
    description:
      'Takes a key with the permission `admin`. The answer is the only place that shows the new key; the service keeps its SHA-256.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(newApiKeySchema) } },
    responses: {
      200: { description: 'Created.', content: jsonContent(issuedApiKeyAnswerSchema) },
      ...problems(400, 413, 415, 422),
    },
  },
  action: 'administer',
  handle: answerAdd,
};

async function answerAdd({ context, principal, ports }: RequestContext): Promise<Response> {
  const { api_key_name: name, key_permissions: permissions = 'rw' } = await readInput(context, newApiKeySchema);
  const issued = await ports.apiKeys.add(principal.organizationId, { name: name.trim(), permissions });
  if (issued === 'too_many') {
    const sentence = `An organisation has at most ${apiKeyLimits.keys} valid keys; revoke one first (DELETE /v1/api-keys/{id}).`;
    return unwrap(bodyFault([], sentence));
  }
  context.header('Cache-Control', 'no-store');
  return sendData(context, { id: issued.apiKey.id, apiKey: issued.key, hashedKey: issued.apiKey.keyHash });
}
