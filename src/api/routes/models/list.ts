import { modelsAnswerSchema } from '../../../contract/models/list.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { sendJson } from '../../http/send-json.ts';

export const listModels: Endpoint = {
  declaration: {
    method: 'get',
    path: '/v1/models',
    operationId: 'listModels',
    summary: 'List the models that the organisation reaches',
    description:
      "As the gateway's `GET /v1/models`: the models of each provider to which a key of the organisation's or of the deployment's goes, written as `provider/model`. It is also a list in OpenAI's shape.",
    security: keyRequired,
    responses: { 200: { description: 'The models.', content: jsonContent(modelsAnswerSchema) }, ...problems() },
  },
  action: 'read',
  handle: answerList,
};

async function answerList({ context, principal, ports }: RequestContext): Promise<Response> {
  const keys = await ports.providerKeys.list(principal.organizationId);
  const data = ports.models(principal.organizationId, new Set(keys.map(({ provider }) => provider)));
  return sendJson(context, { object: 'list', data, error: null });
}
