import { providerKeysAnswerSchema } from '../../../contract/settings/provider-keys.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';
import { itemOf } from './item.ts';

export const listProviderKeys: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/provider-keys',
    operationId: 'listProviderKeys',
    summary: 'List the keys of providers that the organisation has stored',
    description: 'The newest first. No key is shown, only its last characters to a key with the permission `admin`.',
    security: keyRequired,
    responses: { 200: { description: 'The keys.', content: jsonContent(providerKeysAnswerSchema) }, ...problems() },
  },
  action: 'read',
  handle: answerList,
};

async function answerList({ context, principal, ports }: RequestContext): Promise<Response> {
  const keys = await ports.providerKeys.list(principal.organizationId);
  return sendData(
    context,
    keys.map((key) => itemOf(key, principal)),
  );
}
