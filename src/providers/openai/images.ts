import { isJsonObject, type JsonObject } from '../../model/text.ts';
import type { Usage } from '../../model/record/usage.ts';
import { noResponseFields, objectOf, textOf, userTexts, without } from '../format/fields.ts';
import { deploymentOf } from '../format/path-names.ts';
import type { RequestFields, ResponseFields, WireFormat } from '../format/provider.ts';
import { assembleTyped } from './typed-events.ts';
import { readStatedCost } from '../format/stated-cost.ts';
import { readInputOutputUsage } from './usage.ts';

/** `POST …/images/generations`, `…/edits` and `…/variations`: a prompt in, pictures out. Models billed per picture report no tokens. */
export const openAiImages: WireFormat = {
  name: 'openai.images',
  readRequest: readImagesRequest,
  readResponse: readImagesResponse,
  assembleStream: (events) =>
    assembleTyped(events, { piece: '.partial_image', end: '.completed', toBody: (pieces, end) => pictureOf(end ?? pieces.at(-1) ?? {}) }),
  responseIdHeader: 'x-request-id',
};

function readImagesRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const promptText = textOf(request['prompt']);
  return { model: textOf(request['model']) || deploymentOf(path), user: textOf(request['user']), promptText, ...userTexts([promptText]) };
}

/** The response names no model. Its text is the rewritten prompt, not an answer. */
function readImagesResponse(body: unknown): ResponseFields {
  const { usage } = objectOf(body);
  return { ...noResponseFields, usage: usageOf(usage), providerCost: readStatedCost(usage) };
}

/** Without details all output is the picture; events of a stream have none. */
function usageOf(raw: unknown): Usage {
  const usage = readInputOutputUsage(raw);
  const hasDetails = isJsonObject(objectOf(raw)['output_tokens_details']);
  return hasDetails ? usage : { ...usage, completionImageTokens: usage.completionTokens };
}

/** Moves an event's picture into the list of the non-streamed response; other members stay. */
function pictureOf(event: JsonObject): JsonObject {
  const { b64_json: picture, created_at: created, ...rest } = event;
  return { created, data: [{ b64_json: picture }], ...without(without(rest, 'type'), 'partial_image_index') };
}
