import { isJsonObject, type JsonObject, parseJson } from '../../model/text.ts';
import { unreportedUsage, type Usage } from '../../model/record/usage.ts';
import { anthropicMessages } from '../anthropic/messages.ts';
import { cumulativeCounts } from '../format/cumulative.ts';
import { countOf, joinLines, jsonOf, listOf, noResponseFields, objectOf, textOf, userTexts } from '../format/fields.ts';
import { deltaTable, foldKeys, foldList, joinText, lastPresent, leaveOut } from '../format/fold.ts';
import { openAiChat } from '../openai/chat.ts';
import { openAiCompletions } from '../openai/completions.ts';
import { bedrockModelIn } from '../format/path-names.ts';
import type { AssembledStream, RequestFields, ResponseFields, TokenTexts, WireFormat } from '../format/provider.ts';
import type { ServerSentEvent } from '../format/sse.ts';
import { bedrockConverse } from './converse.ts';
import { invokedAtBedrock } from './invocation-metrics.ts';

/**
 * `POST /model/<id>/invoke` and its stream for models of other makers than Anthropic: the bodies are in the maker's own format, which their
 * members show (Amazon Bedrock User Guide, "Inference request parameters and response fields for foundation models").
 */
export const bedrockInvoke: WireFormat = invokedAtBedrock({
  name: 'amazon.invoke',
  outputLimits: [
    'max_tokens',
    'max_completion_tokens',
    'max_gen_len',
    'maxTokens',
    'inferenceConfig.maxTokens',
    'inferenceConfig.max_new_tokens',
    'textGenerationConfig.maxTokenCount',
  ],
  readRequest: readInvokeRequest,
  readResponse: readInvokeResponse,
  assembleStream: assembleInvoked,
  responseIdHeader: 'x-amzn-requestid',
  readTokenTexts: readInvokeTexts,
});

/** The format of a body that another maker's format, or Bedrock's own conversation, describes. */
function formatOf(response: JsonObject): WireFormat | undefined {
  const [choice] = listOf(response['choices']).map(objectOf);
  if (choice !== undefined) return typeof choice['text'] === 'string' ? openAiCompletions : openAiChat;
  if (isJsonObject(objectOf(response['output'])['message'])) return bedrockConverse;
  return response['type'] === 'message' || response['type'] === 'error' ? anthropicMessages : undefined;
}

function readInvokeRequest(body: unknown, path: string): RequestFields {
  const request = objectOf(body);
  const model = bedrockModelIn(path);
  if ('anthropic_version' in request) return { ...anthropicMessages.readRequest(body, path), model };
  if (Array.isArray(request['messages'])) return { ...openAiChat.readRequest(withSystem(request), path), model };
  const prompts = [request['prompt'], request['inputText'], request['message'], ...listOf(request['texts'])].map(textOf);
  const promptText = joinLines(prompts);
  return { model, user: '', promptText, ...userTexts([promptText]) };
}

/** Amazon's Nova has its system prompt beside the messages. */
function withSystem(request: JsonObject): JsonObject {
  const { system, messages } = request;
  return system === undefined ? request : { ...request, messages: [{ role: 'system', content: system }, ...listOf(messages)] };
}

function readInvokeResponse(body: unknown): ResponseFields {
  const response = objectOf(body);
  const format = formatOf(response);
  if (format !== undefined) {
    const fields = format.readResponse(body);
    const [choice] = listOf(response['choices']).map(objectOf);
    return fields.finishReason === '' ? { ...fields, finishReason: textOf(choice?.['stop_reason']) } : fields;
  }
  const [part] = partsOf(response);
  return {
    ...noResponseFields,
    usage: ownUsage(response),
    completionText: ownTexts(response)[0] ?? '',
    finishReason:
      ['stop_reason', 'finish_reason', 'completionReason'].map((name) => textOf(response[name]) || textOf(part?.[name])).find(Boolean) ??
      '',
  };
}

/** Llama and Titan count in members of their own, on the first of Titan's results or on each piece of its stream. */
function ownUsage(response: JsonObject): Usage {
  const promptTokens = countOf(response['prompt_token_count']) ?? countOf(response['inputTextTokenCount']);
  const completionTokens =
    countOf(response['generation_token_count']) ??
    countOf(response['totalOutputTextTokenCount']) ??
    countOf(objectOf(listOf(response['results'])[0])['tokenCount']);
  if (promptTokens === null && completionTokens === null) return unreportedUsage;
  const counts = Object.entries(response).filter(([name, value]) => /token_?count$/i.test(name) && typeof value === 'number');
  return { ...unreportedUsage, promptTokens, completionTokens, raw: Object.fromEntries(counts) };
}

/** Lists of answers: Mistral's, Titan's, Cohere's and AI21's of their first generation. */
function partsOf(response: JsonObject): readonly JsonObject[] {
  return ['outputs', 'results', 'generations', 'completions'].flatMap((name) => listOf(response[name])).map(objectOf);
}

function ownTexts(response: JsonObject): readonly string[] {
  const texts = [response['generation'], response['outputText'], response['completion'], response['text']];
  const ofParts = partsOf(response).map((part) => part['text'] ?? part['outputText'] ?? objectOf(part['data'])['text']);
  return [...texts, ...ofParts].map(textOf).filter((text) => text !== '');
}

function readInvokeTexts(request: unknown, response: unknown): TokenTexts {
  const format = formatOf(objectOf(response));
  const completion = format?.readTokenTexts?.({}, response).completion ?? joinLines(ownTexts(objectOf(response)));
  const { tools, toolConfig } = objectOf(request);
  return { prompt: joinLines([readInvokeRequest(request, '').promptText, jsonOf(tools ?? toolConfig)]), completion };
}

/** Events that Nova's stream wraps in an object of one member. */
const conversationEvents = [
  'messageStart',
  'contentBlockStart',
  'contentBlockDelta',
  'contentBlockStop',
  'messageStop',
  'metadata',
] as const;

const answerList = foldList(deltaTable({ text: joinText, outputText: joinText, stop_reason: lastPresent, finish_reason: lastPresent }));
const nativeTable = deltaTable({
  outputs: answerList,
  generations: answerList,
  // Titan's pieces have the index of the piece, and Cohere's the kind of the event.
  index: leaveOut,
  event_type: leaveOut,
  stop_reason: lastPresent,
  finish_reason: lastPresent,
  completionReason: lastPresent,
  error: lastPresent,
  prompt_token_count: cumulativeCounts,
  generation_token_count: cumulativeCounts,
  inputTextTokenCount: cumulativeCounts,
  totalOutputTextTokenCount: cumulativeCounts,
});

const nothing: AssembledStream = { body: null, isComplete: false, understood: false };

function assembleInvoked(events: readonly ServerSentEvent[]): AssembledStream {
  const pieces = events.map(({ data }) => parseJson(data)).filter(isJsonObject);
  if (pieces.some(({ choices }) => Array.isArray(choices))) return openAiChat.assembleStream(events);
  if (pieces.some(({ type }) => type === 'message_start')) return anthropicMessages.assembleStream(events);
  const named = pieces.flatMap((piece) =>
    conversationEvents.filter((name) => isJsonObject(piece[name])).map((name) => [name, piece[name]] as const),
  );
  if (named.length > 0) return bedrockConverse.assembleStream(named.map(([event, data]) => ({ event, data: jsonOf(data) })));
  const own = pieces.filter(
    (piece) => isError(piece) || ownTexts(piece).length > 0 || ownUsage(piece) !== unreportedUsage || isMetrics(piece),
  );
  return own.length === 0 ? nothing : { body: foldKeys(own, nativeTable), isComplete: false, understood: true };
}

function isError({ type, error }: JsonObject): boolean {
  return type === 'error' && isJsonObject(error);
}

function isMetrics(piece: JsonObject): boolean {
  return Object.keys(piece).some((name) => name.startsWith('amazon-bedrock-'));
}
