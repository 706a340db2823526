import type { JsonObject } from '../../model/text.ts';
import { addedUsage, totalTokens, type Usage } from '../../model/record/usage.ts';
import { joinLines, jsonOf, listOf, objectOf, textOf, userTexts } from '../format/fields.ts';
import { deploymentOf } from '../format/path-names.ts';
import type { RequestFields, ResponseFields, TokenTexts, WireFormat } from '../format/provider.ts';
import { assembleResponse } from './response-stream.ts';
import { readStatedCost } from '../format/stated-cost.ts';
import { toolsText } from './tool-text.ts';
import { readInputOutputUsage } from './usage.ts';

/** `POST …/responses`: items in, items out, and a stream of typed events. */
export const openAiResponses: WireFormat = {
  name: 'openai.responses',
  outputLimits: ['max_output_tokens'],
  readRequest: readResponsesRequest,
  readResponse: readResponsesResponse,
  assembleStream: assembleResponse,
  responseIdHeader: 'x-request-id',
  readTokenTexts: readResponsesTexts,
};

/** Name for the picture model when the tool names none. It has no price, because the default model changes over time. */
const unnamedPictureModel = 'image_generation';

function readResponsesRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const { input } = request;
  const items = listOf(input).map(objectOf);
  const plain = textOf(input);
  const ofUser = items.filter(({ role }) => role === 'user').map(({ content }) => contentText(content));
  return {
    model: textOf(request['model']) || deploymentOf(path),
    user: textOf(request['user']) || textOf(request['safety_identifier']),
    cacheKey: textOf(request['prompt_cache_key']),
    promptText: joinLines([textOf(request['instructions']), plain, ...items.map((item) => contentText(item['content']))]),
    ...userTexts(plain === '' ? ofUser : [plain]),
  };
}

function readResponsesResponse(body: unknown): ResponseFields {
  const response = objectOf(body);
  const messages = listOf(response['output'])
    .map(objectOf)
    .filter((item) => item['type'] === 'message');
  const { reason } = objectOf(response['incomplete_details']);
  return {
    responseId: textOf(response['id']),
    model: textOf(response['model']),
    ...readResponsesUsage(response),
    serviceTier: textOf(response['service_tier']),
    completionText: joinLines(messages.map((item) => contentText(item['content']))),
    finishReason: textOf(reason) || textOf(response['status']),
    providerCost: readStatedCost(response['usage']),
  };
}

/** Pictures made by a tool are counted beside the usage and billed at the price of the picture model. */
function readResponsesUsage(response: JsonObject): Pick<ResponseFields, 'usage' | 'bills'> {
  const usage = withSearches(readInputOutputUsage(response['usage']), listOf(response['output']).map(objectOf));
  const pictures = readInputOutputUsage(objectOf(response['tool_usage'])['image_gen']);
  if ((totalTokens(pictures) ?? 0) === 0) return { usage };
  const tool = listOf(response['tools'])
    .map(objectOf)
    .find(({ type }) => type === 'image_generation');
  const bill = { model: textOf(tool?.['model']) || unnamedPictureModel, usage: pictures };
  return { usage: addedUsage(usage, pictures), bills: [{ model: '', usage }, bill] };
}

/** Searches are items of the output. Of web actions only searches are billed, not opening a page or finding text in it. */
function withSearches(usage: Usage, items: readonly JsonObject[]): Usage {
  const web = items.filter(({ type, action }) => type === 'web_search_call' && (objectOf(action)['type'] ?? 'search') === 'search').length;
  const file = items.filter(({ type }) => type === 'file_search_call').length;
  return web === 0 && file === 0 ? usage : { ...usage, webSearches: web === 0 ? null : web, fileSearches: file === 0 ? null : file };
}

/** @param content a text, or a list of parts with texts or refusals. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return textOf(content);
  return joinLines(
    listOf(content)
      .map(objectOf)
      .map((part) => textOf(part['text']) || textOf(part['refusal'])),
  );
}

function readResponsesTexts(request: unknown, response: unknown): TokenTexts {
  const { instructions, input, tools } = objectOf(request);
  const items = listOf(input);
  const promptTexts = [textOf(instructions), textOf(input), ...items.map(itemText), toolsText(tools)];
  return {
    prompt: joinLines(promptTexts),
    completion: joinLines(listOf(objectOf(response)['output']).map(itemText)),
    messages: [textOf(instructions), textOf(input)].filter((text) => text !== '').length + items.length,
  };
}

/** Messages and reasoning are text; tool calls and results count as raw JSON. */
function itemText(item: unknown): string {
  const { content, summary, name, arguments: called, input, output } = objectOf(item);
  const parts = [contentText(content), contentText(summary), textOf(name)];
  return joinLines([...parts, ...[called, input, output].map((value) => textOf(value) || jsonOf(value))]);
}
