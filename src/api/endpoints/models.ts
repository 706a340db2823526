import { modelsAnswerSchema } from '../../contract/models/list.ts';
import { registryAnswerSchema } from '../../contract/models/registry.ts';
import { type AnswerOf, jsonAnswer, rawEndpoint } from '../endpoint/endpoint.ts';
import { sendJson } from '../http/send-json.ts';
import { openEndpoint } from '../endpoint/open-endpoint.ts';

export const models = [
  rawEndpoint({
    at: 'GET /v1/models',
    id: 'listModels',
    summary: 'List the models that the organisation reaches',
    text: "As the gateway's `GET /v1/models`: the models of each provider to which a key of the organisation's or of the deployment's goes, written as `provider/model`. It is also a list in OpenAI's shape.",
    action: 'read',
    answer: jsonAnswer({ answer: modelsAnswerSchema, answered: 'The models.' }),
    respond: async ({ context, tenant, ports }) => {
      const keys = await ports.providerKeys.list(tenant);
      const data = ports.models(tenant, new Set(keys.map(({ provider }) => provider)));
      return sendJson(context, { object: 'list', data, error: null } satisfies AnswerOf<typeof modelsAnswerSchema>);
    },
  }),
];

export const modelRegistry = [
  openEndpoint({
    at: 'GET /v1/public/model-registry/models',
    id: 'listModelRegistry',
    summary: 'List all models with their prices',
    text: 'Every model of the price list of this deployment that is not outdated, with the providers that offer it. It needs no key, and prices of an organisation are not in it; `GET /v1/models` lists what an organisation reaches.',
    answer: registryAnswerSchema,
    answered: 'The models.',
    errors: [503],
    run: ({ ports }) => ports.modelRegistry(),
  }),
];
