import { isJsonObject, type JsonObject, parseJson } from '../../model/text.ts';
import { unreportedUsage, type Usage } from '../../model/record/usage.ts';
import { countOf, joinLines, jsonOf, listOf, objectOf, textOf, userTexts } from '../format/fields.ts';
import { deltaTable, foldKeys, foldObject, joinLists, joinText, lastPresent, reducerTable } from '../format/fold.ts';
import { cumulativeCounts } from '../format/cumulative.ts';
import type { AssembledStream, RequestFields, ResponseFields, TokenTexts, WireFormat } from '../format/provider.ts';

/** Ollama's own `POST /api/chat`, `/api/generate` and `/api/embed`. A stream is one JSON object per line. */
export const ollamaChat: WireFormat = {
  name: 'ollama.chat',
  outputLimits: ['options.num_predict'],
  readRequest: readChatRequest,
  readResponse: readChatResponse,
  assembleStream: () => notUnderstood,
  assembleList: assembleLines,
  readTokenTexts: readChatTexts,
};

const notUnderstood: AssembledStream = { body: null, isComplete: false, understood: false };

/** The format has no field for an end user. */
function readChatRequest(body: unknown): RequestFields {
  const request = objectOf(body);
  const messages = listOf(request['messages']).map(objectOf);
  const prompts = [textOf(request['prompt']), textOf(request['input']), ...listOf(request['input']).map(textOf)];
  const ofUser = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content));
  return {
    model: textOf(request['model']),
    user: '',
    promptText: joinLines([textOf(request['system']), ...messages.map(({ content }) => textOf(content)), ...prompts]),
    ...userTexts(ofUser.some((text) => text !== '') ? ofUser : [joinLines(prompts)]),
  };
}

function readChatResponse(body: unknown): ResponseFields {
  const response = objectOf(body);
  return {
    responseId: '',
    model: textOf(response['model']),
    usage: readUsage(response),
    serviceTier: '',
    completionText: textOf(objectOf(response['message'])['content']) || textOf(response['response']),
    finishReason: textOf(response['done_reason']),
    providerCost: null,
  };
}

/** Counts are members of the response, among durations. TRICKY: Ollama omits the prompt count when the whole prompt is cached. */
function readUsage(response: JsonObject): Usage {
  const counts = Object.entries(response).filter(([name]) => /_(?:count|duration)$/.test(name));
  if (counts.length === 0) return unreportedUsage;
  return {
    ...unreportedUsage,
    promptTokens: countOf(response['prompt_eval_count']),
    completionTokens: countOf(response['eval_count']) ?? (Array.isArray(response['embeddings']) ? 0 : null),
    raw: Object.fromEntries(counts),
  };
}

const messageReducers = deltaTable({ content: joinText, thinking: joinText, tool_calls: joinLists, images: joinLists });

const lineReducers = reducerTable({
  message: foldObject(messageReducers),
  response: joinText,
  thinking: joinText,
  created_at: lastPresent,
  done_reason: lastPresent,
  prompt_eval_count: cumulativeCounts,
  eval_count: cumulativeCounts,
  error: lastPresent,
});

/** Assembles a stream; drops a truncated line. */
function assembleLines(text: string): AssembledStream {
  if (!/^\s*\{/.test(text)) return notUnderstood;
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseJson);
  // A non-streamed response is a single object with `done`: true, or spans several lines.
  const pieces = lines.filter(isJsonObject).filter(isPiece);
  const isStream = pieces.length > 0 && (pieces.length > 1 || pieces[0]?.['done'] !== true);
  if (!isStream) return notUnderstood;
  // A failure in mid-stream comes in a line of its own.
  const chunks = lines.filter(isJsonObject).filter((line) => isPiece(line) || typeof line['error'] === 'string');
  return { body: foldKeys(chunks, lineReducers), isComplete: pieces.some(({ done }) => done === true), understood: true };
}

function isPiece(line: JsonObject): boolean {
  return typeof line['done'] === 'boolean' && (isJsonObject(line['message']) || typeof line['response'] === 'string');
}

/** Tool calls count as raw JSON; pictures have no text. */
function readChatTexts(request: unknown, response: unknown): TokenTexts {
  const { message, response: generated, thinking } = objectOf(response);
  const { content, thinking: thought, tool_calls: calls } = objectOf(message);
  return {
    prompt: joinLines([readChatRequest(request).promptText, jsonOf(objectOf(request)['tools'])]),
    completion: joinLines([textOf(content), textOf(thought), jsonOf(calls), textOf(generated), textOf(thinking)]),
  };
}
