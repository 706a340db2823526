import type { Usage } from '../../model/record/usage.ts';
import { countOf, joinLines, listOf, noResponseFields, objectOf, textOf, userTexts } from '../format/fields.ts';
import { deploymentOf } from '../format/path-names.ts';
import type { RequestFields, ResponseFields, WireFormat } from '../format/provider.ts';
import { notStreamed } from './typed-events.ts';
import { readStatedCost } from '../format/stated-cost.ts';
import { readOpenAiUsage } from './usage.ts';

/** `POST …/embeddings`: texts in, vectors out. */
export const openAiEmbeddings: WireFormat = {
  name: 'openai.embeddings',
  readRequest: readEmbeddingsRequest,
  readResponse: readEmbeddingsResponse,
  assembleStream: notStreamed,
  responseIdHeader: 'x-request-id',
  readTokenTexts: (request) => ({ prompt: inputOf(request), completion: undefined }),
};

/** Inputs given as token ids have no text. */
function inputOf(body: unknown): string {
  const { input } = objectOf(body);
  return typeof input === 'string' ? textOf(input) : joinLines(listOf(input).map(textOf));
}

function readEmbeddingsRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const promptText = inputOf(request);
  return { model: textOf(request['model']) || deploymentOf(path), user: textOf(request['user']), promptText, ...userTexts([promptText]) };
}

function readEmbeddingsResponse(body: unknown): ResponseFields {
  const response = objectOf(body);
  return {
    ...noResponseFields,
    responseId: textOf(response['id']),
    model: textOf(response['model']),
    usage: readEmbeddingsUsage(response['usage']),
    providerCost: readStatedCost(response['usage']),
  };
}

/** All tokens are input. Voyage reports only the total. */
function readEmbeddingsUsage(raw: unknown): Usage {
  const usage = readOpenAiUsage(raw);
  return usage.promptTokens === null ? { ...usage, promptTokens: countOf(objectOf(raw)['total_tokens']) } : usage;
}
