import { apiKeysAnswerSchema, apiKeysParametersSchema } from '../../../contract/settings/api-keys.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readQueryParameters } from '../../http/read-input.ts';
import { sendData } from '../../http/send-json.ts';
import { itemOf } from './item.ts';

export const listApiKeys: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/api-keys',
    operationId: 'listApiKeys',
    summary: 'List the keys of the organisation',
    description: 'Takes a key with the permission `admin`. The valid keys, the oldest first; no key is shown itself.',
    security: keyRequired,
    request: { query: apiKeysParametersSchema },
    responses: { 200: { description: 'The keys.', content: jsonContent(apiKeysAnswerSchema) }, ...problems(422) },
  },
  action: 'administer',
  handle: answerList,
};

async function answerList({ context, principal, ports }: RequestContext): Promise<Response> {
  const { include_revoked: includeRevoked } = readQueryParameters(context, apiKeysParametersSchema);
  const keys = await ports.apiKeys.list(principal.organizationId);
  return sendData(context, keys.filter(({ revokedAt }) => revokedAt === null || includeRevoked === 'true').map(itemOf));
}
