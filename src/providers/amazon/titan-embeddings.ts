import { unreportedUsage } from '../../model/record/usage.ts';
import { countOf, noResponseFields, objectOf, textOf, userTexts } from '../format/fields.ts';
import { notStreamed } from '../openai/typed-events.ts';
import { bedrockModelIn } from '../format/path-names.ts';
import type { RequestFields, ResponseFields, WireFormat } from '../format/provider.ts';

/** Titan's embeddings at Bedrock's `POST /model/<id>/invoke`: a text in, a vector and the token count of the text out. */
export const titanEmbeddings: WireFormat = {
  name: 'amazon.titan-embeddings',
  readRequest: readTitanRequest,
  readResponse: readTitanResponse,
  assembleStream: notStreamed,
  responseIdHeader: 'x-amzn-requestid',
};

/** The format has no field for an end user. */
function readTitanRequest(body: unknown, path: string): RequestFields {
  const promptText = textOf(objectOf(body)['inputText']);
  return { model: bedrockModelIn(path), user: '', promptText, ...userTexts([promptText]) };
}

function readTitanResponse(body: unknown): ResponseFields {
  const promptTokens = countOf(objectOf(body)['inputTextTokenCount']);
  if (promptTokens === null) return noResponseFields;
  return { ...noResponseFields, usage: { ...unreportedUsage, promptTokens, raw: { inputTextTokenCount: promptTokens } } };
}
