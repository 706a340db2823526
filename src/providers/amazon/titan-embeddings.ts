import { unreportedUsage } from '../../model/record/usage.ts';
import { countOf, noResponseFacts, objectOf, textOf, userTexts } from '../format/facts.ts';
import { notStreamed } from '../openai/typed-events.ts';
import { bedrockModelIn } from '../format/path-names.ts';
import type { RequestFacts, ResponseFacts, WireFormat } from '../format/provider.ts';

/** Titan's embeddings at Bedrock's `POST /model/<id>/invoke`: a text in, a vector and the token count of the text out. */
export const titanEmbeddings: WireFormat = {
  name: 'amazon.titan-embeddings',
  readRequest: readTitanRequest,
  readResponse: readTitanResponse,
  assembleStream: notStreamed,
  responseIdHeader: 'x-amzn-requestid',
};

/** The format has no field for an end user. */
function readTitanRequest(body: unknown, path: string): RequestFacts {
  const promptText = textOf(objectOf(body)['inputText']);
  return { model: bedrockModelIn(path), user: '', promptText, ...userTexts([promptText]) };
}

function readTitanResponse(body: unknown): ResponseFacts {
  const promptTokens = countOf(objectOf(body)['inputTextTokenCount']);
  if (promptTokens === null) return noResponseFacts;
  return { ...noResponseFacts, usage: { ...unreportedUsage, promptTokens, raw: { inputTextTokenCount: promptTokens } } };
}
