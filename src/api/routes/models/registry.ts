import { registryAnswerSchema } from '../../../contract/models/registry.ts';
import { jsonContent, type OpenEndpoint, problemResponses } from '../../endpoint.ts';
import { sendData } from '../../http/send-json.ts';

export const listModelRegistry: OpenEndpoint = {
  declaration: {
    method: 'get',
    path: '/v1/public/model-registry/models',
    operationId: 'listModelRegistry',
    summary: 'List all models with their prices',
    description:
      'Every model of the price list of this deployment that is not outdated, with the providers that offer it. It needs no key, and prices of an organisation are not in it; `GET /v1/models` lists what an organisation reaches.',
    responses: { 200: { description: 'The models.', content: jsonContent(registryAnswerSchema) }, ...problemResponses(405, 503) },
  },
  handle: ({ context, ports }) => sendData(context, ports.modelRegistry()),
};
