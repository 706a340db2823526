import { joinLines, listOf, objectOf, textOf, userTexts } from '../format/fields.ts';
import type { RequestFields, ResponseFields, WireFormat } from '../format/provider.ts';
import { deploymentOf } from '../format/path-names.ts';
import { assembleChunks } from './chunks.ts';
import { readStatedCost } from '../format/stated-cost.ts';
import { readOpenAiUsage, usageIn } from './usage.ts';

/** `POST …/completions`: one prompt text in, one text out. */
export const openAiCompletions: WireFormat = {
  name: 'openai.completions',
  outputLimits: ['max_tokens'],
  readRequest: readCompletionRequest,
  readResponse: readCompletionResponse,
  assembleStream: assembleChunks,
  responseIdHeader: 'x-request-id',
  readTokenTexts: (request, response) => ({
    prompt: readCompletionRequest(request, '').promptText,
    completion: joinLines(listOf(objectOf(response)['choices']).map((choice) => textOf(objectOf(choice)['text']))),
  }),
};

/** Without roles the whole prompt is the user's. Prompts given as token ids have no text. */
function readCompletionRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const prompt = request['prompt'];
  const promptText = typeof prompt === 'string' ? textOf(prompt) : joinLines(listOf(prompt).map(textOf));
  const model = textOf(request['model']) || deploymentOf(path);
  return { model, user: textOf(request['user']), promptText, ...userTexts([promptText]) };
}

function readCompletionResponse(body: unknown): ResponseFields {
  const response = objectOf(body);
  const choice = objectOf(listOf(response['choices'])[0]);
  const usage = usageIn(response);
  return {
    responseId: textOf(response['id']),
    model: textOf(response['model']),
    usage: readOpenAiUsage(usage),
    serviceTier: textOf(response['service_tier']),
    completionText: textOf(choice['text']),
    finishReason: textOf(choice['finish_reason']),
    providerCost: readStatedCost(usage),
  };
}
