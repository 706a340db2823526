import { randomBytes } from 'node:crypto';
import { isJsonObject, type JsonObject, parseJson } from '../../model/text.ts';
import { jsonBody } from '../http/error-response.ts';
import type { BufferedResponse } from '../upstream/response-sink.ts';

/** Characters of a response; longer text is counted but not repeated. */
export const maxEchoCharacters = 256 * 1024;
/** Events of a stream that repeat text. */
export const maxEchoEvents = 1000;

/**
 * A request to the built-in provider, which answers chat completions with the text of the last user message, in OpenAI's shape, without a
 * key or the network. One token is one word (text between white space). docs/guides/providers.md documents its fixed prices.
 */
export interface EchoRequest {
  readonly method: string;
  /** Path below `/echo`, e.g. `/v1/chat/completions`. */
  readonly path: string;
  readonly body: Buffer;
  /** Unix seconds. */
  readonly createdAt: number;
}

export function responseOfEcho(request: EchoRequest, parse = parseBytes): BufferedResponse {
  const pathname = request.path.split('?', 1)[0];
  if (request.method !== 'POST' || pathname !== '/v1/chat/completions') {
    return failure(404, 'The echo provider answers POST /v1/chat/completions only.');
  }
  const body = parse(request.body);
  if (!isJsonObject(body)) return failure(400, 'The body is not a JSON object.');
  const messages = body['messages'];
  if (!Array.isArray(messages) || messages.length === 0) return failure(400, "'messages' must be an array with at least one message.");
  return complete(body, messages, request.createdAt);
}

function parseBytes(body: Buffer): unknown {
  return parseJson(body.toString('utf8'));
}

function complete(body: JsonObject, messages: readonly unknown[], created: number): BufferedResponse {
  const userText = lastUserText(messages);
  const content = truncated(userText);
  const finishReason = content.length < userText.length ? 'length' : 'stop';
  const promptTokens = messages.reduce<number>((sum, message) => sum + countWords(messageText(message)), 0);
  const completionTokens = countWords(content);
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
  const base = {
    id: `chatcmpl-${randomBytes(12).toString('hex')}`,
    created,
    model: typeof body['model'] === 'string' ? body['model'] : 'echo',
  };
  if (body['stream'] === true) {
    const options = body['stream_options'];
    return {
      status: 200,
      headers: ['content-type', 'text/event-stream; charset=utf-8'],
      chunks: streamChunks(base, { content, finishReason }, usage, isJsonObject(options) && options['include_usage'] === true),
    };
  }
  const message = { role: 'assistant', content, refusal: null };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReason }];
  return jsonResponse(200, { ...base, object: 'chat.completion', choices, usage });
}

interface Completion {
  readonly content: string;
  readonly finishReason: 'stop' | 'length';
}

/**
 * One event per word, or per several words to stay within {@link maxEchoEvents}. The usage is in the last choice's event or, if the caller
 * requested it, in an event of its own, as with OpenAI.
 */
function streamChunks(base: object, { content, finishReason }: Completion, usage: object, separateUsage: boolean): Buffer[] {
  const words = content.match(/\s*\S+|\s+$/g) ?? [];
  const wordsInEvent = Math.ceil(words.length / maxEchoEvents);
  const pieces = Array.from({ length: Math.ceil(words.length / Math.max(1, wordsInEvent)) }, (_, index) =>
    words.slice(index * wordsInEvent, (index + 1) * wordsInEvent).join(''),
  );
  const event = (fields: object): Buffer =>
    Buffer.from(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', ...fields })}\n\n`);
  const last = choice({}, finishReason);
  return [
    event(choice({ role: 'assistant', content: '' }, null)),
    ...pieces.map((piece) => event(choice({ content: piece }, null))),
    ...(separateUsage ? [event(last), event({ choices: [], usage })] : [event({ ...last, usage })]),
    Buffer.from('data: [DONE]\n\n'),
  ];
}

function choice(delta: object, finishReason: string | null): object {
  return { choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] };
}

function lastUserText(messages: readonly unknown[]): string {
  const last = messages.findLast((message) => isJsonObject(message) && message['role'] === 'user') ?? messages.at(-1);
  return messageText(last);
}

function messageText(message: unknown): string {
  if (!isJsonObject(message)) return '';
  const content = message['content'];
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts: readonly unknown[] = content;
  return parts.map((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

/** Never cuts a surrogate pair in two. */
function truncated(text: string): string {
  return text.length <= maxEchoCharacters ? text : text.slice(0, maxEchoCharacters).replace(/[\uD800-\uDBFF]$/, '');
}

/** TRICKY: counted one by one, because a list of millions of words takes a hundred times their bytes. */
function countWords(text: string): number {
  const word = /\S+/g;
  let words = 0;
  while (word.test(text)) words += 1;
  return words;
}

function failure(status: number, message: string): BufferedResponse {
  return jsonResponse(status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
}

function jsonResponse(status: number, value: object): BufferedResponse {
  const body = jsonBody(value);
  return { status, headers: ['content-type', 'application/json', 'content-length', String(body.length)], chunks: [body] };
}
