import { writeExactly } from '../../model/json/exact-numbers.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { isJsonObject, type JsonObject, parseExactly, parseRecordedJson } from '../../model/text.ts';
import { wireFormatFor } from '../../providers/registry.ts';
import type { BodiesRecord } from '../../store/insert/rows.ts';
import type { ReadTexts, StoredBodies } from '../../store/once/span-texts.ts';
import { inputPreviewOf, outputPreviewOf, type Previews } from '../interpret/previews.ts';

/** Which parts of a record log records have told before. */
export interface FilledBefore {
  readonly request: boolean;
  readonly response: boolean;
}

export interface FilledBodies {
  readonly bodies: Omit<BodiesRecord, 'organizationId'>;
  /** How many messages came in; 0: that part stays as it is. */
  readonly requestMessages: number;
  readonly responseMessages: number;
  readonly previews: Previews;
}

/**
 * The bodies of a record that was made of a span, with the texts that log records told of it where the span tells none: messages of the
 * request beside instructions, and choices of the response. What is there already is not added again.
 * @param texts in the order in which they were said. @returns undefined when nothing is absent.
 */
export function filledBodies(stored: StoredBodies, texts: readonly ReadTexts[], before: FilledBefore): FilledBodies | undefined {
  if (stored.requestKind === 'binary' || stored.responseKind === 'binary') return undefined;
  const request = filledRequest(objectOf(stored.requestKind, stored.request), texts, before.request);
  const response = filledResponse(objectOf(stored.responseKind, stored.response), texts, before.response);
  if (request === undefined && response === undefined) return undefined;
  const requestText = request === undefined ? stored.request : writeExactly(request.body);
  const responseText = response === undefined ? stored.response : writeExactly(response.body);
  const bodies = withDerived(stored, requestText, responseText);
  return {
    bodies,
    previews: {
      inputPreview: inputPreviewOf(parseRecordedJson(requestText), bodies),
      outputPreview: outputPreviewOf(parseRecordedJson(responseText), bodies.completionText),
    },
    requestMessages: request?.added ?? 0,
    responseMessages: response?.added ?? 0,
  };
}

function withDerived(
  { requestId, createdAt, bodyGroup, requestKind, responseKind }: StoredBodies,
  request: string,
  response: string,
): FilledBodies['bodies'] {
  const format = wireFormatFor(anyProvider, chatPath);
  const asked = format?.readRequest(parseExactly(request), chatPath);
  return {
    requestId,
    createdAt,
    bodyGroup,
    requestBody: recorded(requestKind, request),
    responseBody: recorded(responseKind, response),
    promptText: asked?.promptText ?? '',
    lastUserText: asked?.lastUserText ?? '',
    completionText: format?.readResponse(parseExactly(response)).completionText ?? '',
  };
}

/** Whose paths are those of all. */
const anyProvider = 'custom';
const chatPath = '/v1/chat/completions';

interface Filled {
  readonly body: JsonObject;
  readonly added: number;
}

/** Undefined for a body that is no object, or that is not kept. */
function objectOf(kind: string, text: string): JsonObject | undefined {
  const body = kind === 'json' ? parseExactly(text) : undefined;
  return isJsonObject(body) ? body : undefined;
}

function recorded(kind: string, text: string): RecordedBody {
  return kind === 'json' || kind === 'text' ? { kind, text } : { kind: 'absent' };
}

function filledRequest(body: JsonObject | undefined, texts: readonly ReadTexts[], isFilled: boolean): Filled | undefined {
  if (body === undefined || !Array.isArray(body['messages'])) return undefined;
  const messages = objectsOf(body['messages']);
  if (!isFilled && messages.some(isSaid)) return undefined;
  const told = texts.map(({ request }) => objectOf('json', request) ?? {});
  const added = withoutKnown(
    messages,
    told.map((each) => objectsOf(each['messages'])),
  );
  const tools = told.find((each) => Array.isArray(each['tools']))?.['tools'];
  const hasTools = Array.isArray(body['tools']) && body['tools'].length > 0;
  if (added.length === 0 && (hasTools || tools === undefined)) return undefined;
  return {
    body: { ...body, messages: [...messages, ...added], ...(hasTools || tools === undefined ? {} : { tools }) },
    added: added.length,
  };
}

/** Instructions stand on the span even where no contents are to be captured. */
function isSaid({ role, content, tool_calls: calls }: JsonObject): boolean {
  return role !== 'system' && role !== 'developer' && (hasContent(content) || hasContent(calls));
}

/** A body of another format, or of a failure, has its texts elsewhere. */
function filledResponse(body: JsonObject | undefined, texts: readonly ReadTexts[], isFilled: boolean): Filled | undefined {
  if (body === undefined || !Array.isArray(body['choices'])) return undefined;
  const choices = objectsOf(body['choices']);
  if (!isFilled && choices.some(({ message }) => isJsonObject(message) && saysSomething(message))) return undefined;
  const kept = choices.filter(({ message }) => isJsonObject(message) && saysSomething(message));
  const told = texts.flatMap(({ response }) => objectsOf(objectOf('json', response)?.['choices']));
  const known = new Set(messagesOf(kept).map((message) => writeExactly(message)));
  const added = told.filter(({ message }) => !known.has(writeExactly(isJsonObject(message) ? message : {})));
  if (added.length === 0) return undefined;
  const all = [...kept, ...added].map((choice, index) => ({
    ...choice,
    index,
    finish_reason: choice['finish_reason'] ?? choices[index]?.['finish_reason'] ?? null,
  }));
  return { body: { ...body, choices: all }, added: added.length };
}

function messagesOf(choices: readonly JsonObject[]): readonly JsonObject[] {
  return choices.map(({ message }) => (isJsonObject(message) ? message : {}));
}

function saysSomething({ content, reasoning_content: reasoning, tool_calls: calls }: JsonObject): boolean {
  return hasContent(content) || hasContent(reasoning) || hasContent(calls);
}

function hasContent(value: unknown): boolean {
  return (typeof value === 'string' || Array.isArray(value)) && value.length > 0;
}

/** Groups all of whose messages are there are a repetition; instructions that are there are one too. */
function withoutKnown(messages: readonly JsonObject[], groups: readonly (readonly JsonObject[])[]): readonly JsonObject[] {
  const known = new Set(messages.map((message) => writeExactly(message)));
  return groups
    .filter((group) => !group.every((message) => known.has(writeExactly(message))))
    .flat()
    .filter((message) => message['role'] !== 'system' || !known.has(writeExactly(message)));
}

function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
