import { unreportedUsage, type Usage } from '../../model/record/usage.ts';
import { isJsonObject } from '../../model/text.ts';
import { countOf, joinLines, listOf, noResponseFields, objectOf, textOf, userTexts } from '../format/fields.ts';
import { notStreamed } from '../openai/typed-events.ts';
import { modelInPath } from '../format/path-names.ts';
import type { RequestFields, ResponseFields, WireFormat } from '../format/provider.ts';

/** `POST …/models/<model>:embedContent` and `:batchEmbedContents`: contents in, vectors out, for some models with token counts. */
export const geminiEmbedContent: WireFormat = {
  name: 'google.embed-content',
  readRequest: readEmbedRequest,
  readResponse: readEmbedResponse,
  assembleStream: notStreamed,
};

/** One request or a list of them. The format has no field for an end user. */
function readEmbedRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const requests = [request, ...listOf(request['requests']).map(objectOf)];
  const promptText = joinLines(
    requests.flatMap(({ content }) => listOf(objectOf(content)['parts']).map((part) => textOf(objectOf(part)['text']))),
  );
  return { model: modelInPath(path) || textOf(request['model']), user: '', promptText, ...userTexts([promptText]) };
}

function readEmbedResponse(body: unknown): ResponseFields {
  return { ...noResponseFields, usage: usageOf(objectOf(body)['usageMetadata']) };
}

function usageOf(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  return { ...unreportedUsage, promptTokens: countOf(usage['promptTokenCount']) ?? countOf(usage['totalTokenCount']), raw: usage };
}
