import { providerKeysAnswerSchema } from '../../../contract/settings/provider-keys.ts';
import { type Endpoint, type EndpointCall, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { answerJson } from '../../http/json-answer.ts';
import { itemOf } from './item.ts';

/** `GET /v1/provider-keys` */
export const listProviderKeys: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/provider-keys',
    operationId: 'listProviderKeys',
    summary: 'List the keys of providers that the organisation has stored',
    description: 'The newest first. No key is shown, only its last characters.',
    security: keyRequired,
    responses: { 200: { description: 'The keys.', content: jsonContent(providerKeysAnswerSchema) }, ...problems() },
  },
  action: 'read',
  handle: answerList,
};

async function answerList({ context, principal, ports }: EndpointCall): Promise<Response> {
  const keys = await ports.providerKeys.list(principal.organizationId);
  return answerJson(context, { data: keys.map(itemOf), error: null });
}
