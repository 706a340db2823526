import type { Usage } from '../../model/record/usage.ts';
import { joinLines, jsonOf, listOf, objectOf, textOf, userTexts } from '../format/fields.ts';
import { modelInPath } from '../format/path-names.ts';
import type { RequestFields, ResponseFields, TokenTexts, WireFormat } from '../format/provider.ts';
import { assembleEvents, assembleJsonList } from './stream.ts';
import { readGeminiUsage } from './usage.ts';

/**
 * `POST …/models/<model>:generateContent` and `:streamGenerateContent`, at the Gemini API and Vertex AI. A stream consists of events with
 * `alt=sse`, else of one JSON list.
 */
export const geminiGenerateContent: WireFormat = {
  name: 'google.generate-content',
  outputLimits: [
    'generationConfig.maxOutputTokens',
    'generation_config.max_output_tokens',
    'generationConfig.max_output_tokens',
    'generation_config.maxOutputTokens',
  ],
  readRequest: readGenerateRequest,
  readResponse: readGenerateResponse,
  assembleStream: assembleEvents,
  assembleList: assembleJsonList,
  readTokenTexts: readGenerateTexts,
};

/** The format has no field for an end user. */
function readGenerateRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const contents = contentsOf(request['contents']);
  const ofUser = contents.filter(({ role }) => (role ?? 'user') === 'user').map(({ parts }) => partsText(parts));
  return {
    model: modelInPath(path) || textOf(request['model']),
    user: '',
    promptText: joinLines([systemText(request), ...contents.map(({ parts }) => partsText(parts))]),
    // Contents with function results only are not the user's text.
    ...userTexts(ofUser),
  };
}

function readGenerateResponse(body: unknown): ResponseFields {
  const response = objectOf(body);
  const usage = objectOf(response['usageMetadata']);
  const candidate = objectOf(listOf(response['candidates'])[0]);
  const finishReason = textOf(candidate['finishReason']);
  const answerParts = partsOf(objectOf(candidate['content'])['parts']).filter((part) => part['thought'] !== true);
  return {
    responseId: textOf(response['responseId']),
    model: textOf(response['modelVersion']),
    usage: withSearches(
      readGeminiUsage(response['usageMetadata'], finishReason !== '' || textOf(objectOf(response['promptFeedback'])['blockReason']) !== ''),
      candidate['groundingMetadata'],
    ),
    serviceTier: textOf(usage['serviceTier']) || textOf(usage['trafficType']),
    completionText: answerParts.map((part) => textOf(part['text'])).join(''),
    finishReason,
    providerCost: null,
  };
}

/** Adds the web searches that ground a response. */
function withSearches(usage: Usage, grounding: unknown): Usage {
  const { length } = listOf(objectOf(grounding)['webSearchQueries']);
  return length === 0 ? usage : { ...usage, webSearches: length };
}

type Part = Readonly<Record<string, unknown>>;

/** Google accepts both spellings of a name, and a single content in place of a list. */
function systemText(request: Part): string {
  return partsText(objectOf(request['systemInstruction'] ?? request['system_instruction'])['parts']);
}

function contentsOf(contents: unknown): readonly Part[] {
  return (Array.isArray(contents) ? contents : [contents]).map(objectOf);
}

function partsOf(parts: unknown): readonly Part[] {
  return (Array.isArray(parts) ? parts : [parts]).map(objectOf);
}

function partsText(parts: unknown): string {
  return joinLines(partsOf(parts).map((part) => textOf(part['text'])));
}

function readGenerateTexts(request: unknown, response: unknown): TokenTexts {
  const requestBody = objectOf(request);
  const contents = listOf(objectOf(response)['candidates']).map((candidate) => objectOf(candidate)['content']);
  return {
    prompt: joinLines([systemText(requestBody), ...contentsOf(requestBody['contents']).map(allText), jsonOf(requestBody['tools'])]),
    completion: joinLines(contents.map(allText)),
  };
}

/** Function calls and results count as raw JSON; media have no text. */
function allText(content: unknown): string {
  const texts = partsOf(objectOf(content)['parts']).flatMap((part) => [
    textOf(part['text']),
    textOf(objectOf(part['executableCode'])['code']),
    jsonOf(part['functionCall'] ?? part['functionResponse']),
  ]);
  return joinLines(texts);
}
