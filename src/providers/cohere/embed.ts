import { joinLines, listOf, noResponseFields, objectOf, textOf, userTexts } from '../format/fields.ts';
import { notStreamed } from '../openai/typed-events.ts';
import type { RequestFields, ResponseFields, WireFormat } from '../format/provider.ts';
import { readCohereUsage } from './chat.ts';

/** Cohere's `POST /v2/embed` and `/v1/embed`: texts and pictures in, vectors out. */
export const cohereEmbed: WireFormat = {
  name: 'cohere.embed',
  readRequest: readEmbedRequest,
  readResponse: readEmbedResponse,
  assembleStream: notStreamed,
};

/** Texts are in a list of their own or among the parts of `inputs`. The format has no field for an end user. */
function readEmbedRequest(body: unknown): RequestFields {
  const { model, texts, inputs } = objectOf(body);
  const parts = listOf(inputs).flatMap((input) => listOf(objectOf(input)['content']));
  const promptText = joinLines([...listOf(texts).map(textOf), ...parts.map((part) => textOf(objectOf(part)['text']))]);
  return { model: textOf(model), user: '', promptText, ...userTexts([promptText]) };
}

/** A response does not name its model. */
function readEmbedResponse(body: unknown): ResponseFields {
  const { id, meta } = objectOf(body);
  return { ...noResponseFields, responseId: textOf(id), usage: readCohereUsage(meta) };
}
