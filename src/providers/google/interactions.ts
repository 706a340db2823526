import { unreportedUsage, type Usage } from '../../model/record/usage.ts';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { countOf, joinLines, jsonOf, listOf, objectOf, textOf, userTexts } from '../format/fields.ts';
import type { RequestFields, ResponseFields, TokenTexts, WireFormat } from '../format/provider.ts';
import { assembleInteraction } from './interaction-stream.ts';

/** `POST …/interactions`, at the Gemini API and Vertex AI: steps in, steps out, and a stream of typed events. */
export const geminiInteractions: WireFormat = {
  name: 'google.interactions',
  outputLimits: ['generation_config.max_output_tokens'],
  readRequest: readInteractionRequest,
  readResponse: readInteractionResponse,
  assembleStream: assembleInteraction,
  readTokenTexts: readInteractionTexts,
};

/** The format has no field for an end user. */
function readInteractionRequest(body: unknown): RequestFields {
  const request = objectOf(body);
  const input = inputOf(request['input']);
  const ofUser = input.filter(isOfUser).map(itemText);
  return {
    model: modelOf(request),
    user: '',
    promptText: joinLines([contentText(request['system_instruction']), ...input.map(itemText)]),
    // Steps with function results only are not the user's text.
    ...userTexts(ofUser),
  };
}

function readInteractionResponse(body: unknown): ResponseFields {
  const response = objectOf(body);
  const outputs = listOf(response['steps'])
    .map(objectOf)
    .filter(({ type }) => type === 'model_output');
  return {
    responseId: textOf(response['id']),
    model: modelOf(response),
    usage: readInteractionUsage(response['usage']),
    serviceTier: textOf(response['service_tier']),
    completionText: joinLines(outputs.map(({ content }) => contentText(content))),
    finishReason: textOf(response['status']),
    providerCost: null,
  };
}

/**
 * The `usage` of an interaction. Like `generateContent`, it counts thoughts beside the output, and the input from tools beside the input.
 */
function readInteractionUsage(usage: unknown): Usage {
  if (!isJsonObject(usage)) return unreportedUsage;
  const input = countOf(usage['total_input_tokens']);
  const output = countOf(usage['total_output_tokens']);
  const thought = countOf(usage['total_thought_tokens']);
  return {
    ...unreportedUsage,
    promptTokens: input === null ? null : countOf(input + (countOf(usage['total_tool_use_tokens']) ?? 0)),
    completionTokens: output === null && thought === null ? null : countOf((output ?? 0) + (thought ?? 0)),
    promptCacheReadTokens: countOf(usage['total_cached_tokens']),
    promptAudioTokens: ofModality(usage['input_tokens_by_modality'], 'audio'),
    completionAudioTokens: ofModality(usage['output_tokens_by_modality'], 'audio'),
    reasoningTokens: thought,
    promptCacheReadAudioTokens: ofModality(usage['cached_tokens_by_modality'], 'audio'),
    promptImageTokens: ofModality(usage['input_tokens_by_modality'], 'image'),
    completionImageTokens: ofModality(usage['output_tokens_by_modality'], 'image'),
    raw: usage,
  };
}

function ofModality(counts: unknown, modality: string): number | null {
  const found = listOf(counts)
    .map(objectOf)
    .find((count) => count['modality'] === modality);
  return countOf(found?.['tokens']);
}

/** An interaction names a model or an agent. */
function modelOf({ model, agent }: JsonObject): string {
  return textOf(model) || textOf(agent);
}

/** The input is a text, a piece of content, a list of pieces, or a list of steps. Pieces without steps form one user step. */
function inputOf(input: unknown): readonly JsonObject[] {
  const items = listOf(input).map(objectOf);
  const isSteps = items.some(({ type, role }) => role !== undefined || (typeof type === 'string' && type.includes('_')));
  return isSteps ? items : [{ type: 'user_input', content: Array.isArray(input) ? items : input }];
}

function isOfUser({ type, role }: JsonObject): boolean {
  return type === 'user_input' || role === 'user';
}

function itemText({ content }: JsonObject): string {
  return contentText(content);
}

/** @param content a text, a piece, or a list of pieces. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return textOf(content);
  const pieces = (Array.isArray(content) ? content : [content]).map(objectOf);
  return joinLines(pieces.map(({ text }) => textOf(text)));
}

/** Function calls and results count as raw JSON; media have no text. */
function readInteractionTexts(request: unknown, response: unknown): TokenTexts {
  const requestBody = objectOf(request);
  const inputTexts = inputOf(requestBody['input']).map(stepText);
  return {
    prompt: joinLines([contentText(requestBody['system_instruction']), ...inputTexts, jsonOf(requestBody['tools'])]),
    completion: joinLines(listOf(objectOf(response)['steps']).map(objectOf).map(stepText)),
  };
}

function stepText({ content, summary, name, arguments: called, result }: JsonObject): string {
  return joinLines([
    contentText(content),
    contentText(summary),
    textOf(name),
    ...[called, result].map((value) => textOf(value) || jsonOf(value)),
  ]);
}
