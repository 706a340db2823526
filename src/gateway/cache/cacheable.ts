import { firstBytesOf } from '../../model/json/first-bytes.ts';
import { isEventStream } from '../../model/record/media-type.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { packedEventsIn } from '../json/packed-events.ts';
import { failedChoice, failedElement, failureWords, literal, objectReportsError } from '../json/reported-errors.ts';
import { bytes, bytesAt, elementsAt, findMember, type Span, skipWhitespace, startOfValue } from '../json/scan.ts';
import { consistsOfMessages, beginsMessage } from './binary-messages.ts';

/**
 * Whether a complete response may be served again: it reports no failure, and a stream reached its own end. Some providers answer 200 and
 * report the failure in the body, or in the middle of a stream.
 *
 * Searches for words and in the top-level members of objects, without parsing. TRICKY: quotes within a JSON string are escaped, so
 * `"error"` with its quotes is a name or a whole value, never a part of a text.
 * @param body decoded.
 */
export function isCacheable(body: Buffer, contentType: string): boolean {
  if (isEventStreamBody(body, contentType)) return isCompleteStream(body.toString('latin1'));
  const type = contentType.toLowerCase();
  if (areMessages(body, type)) return areCompleteMessages(body);
  if (/ndjson|jsonl|stream\+json/.test(type) || isSeries(body)) return isCompleteSeries(body.toString('latin1'));
  if (isListOfObjects(body)) return isCompleteList(body);
  if (!failureWords.some((word) => body.includes(word))) return true;
  return !reportsError(body) && !failedChoice.test(body.toString('latin1')) && !failedElement.test(body.toString('latin1'));
}

/** Whether a body is a stream of events. Its content type is a hint only; JSON is none, whatever its content type is. */
export function isEventStreamBody(body: Buffer, contentType: string): boolean {
  if (firstBytesOf(body) === 'json') return false;
  return isEventStream(contentType) || eventLine.test(body.toString('latin1', 0, searchedBytes));
}

/** Bytes in which the first event of a stream begins. */
const searchedBytes = 4096;
const eventLine = /^(?:data|event):/m;

/** Whether a body is an object in the first of several lines. */
function isSeries(body: Buffer): boolean {
  if (firstBytesOf(body) !== 'json') return false;
  const end = body.indexOf(0x0a, skipWhitespace(body, 0));
  return end !== -1 && body[skipWhitespace(body, end)] === 0x7b && body[skipWhitespace(body, 0)] === 0x7b;
}

/** Whether a body is Amazon's messages. Other binary bodies may begin as they do, but for the checksum. */
function areMessages(body: Buffer, type: string): boolean {
  if (firstBytesOf(body) === 'json') return false;
  return binaryStreamTypes.some((binary) => type.includes(binary)) || beginsMessage(body);
}

function isListOfObjects(body: Buffer): boolean {
  const start = startOfValue(body);
  return body[start] === bytes.openBracket && body[skipWhitespace(body, start + 1)] === bytes.openBrace;
}

const { binaryStreamTypes, finalEventTexts, finalEventTypes, failureEvents } = wireProfile;
const { finalMessageHeaders, failureMessageHeaders, listedMembers } = wireProfile;

const streamEnd = new RegExp([...finalEventTexts, String.raw`"type"\s*:\s*"(?:${finalEventTypes.join('|')})"`].join('|'), 'm');
const failureEvent = new RegExp(String.raw`^event: ?(?:${literal(failureEvents)})\s*$`, 'm');
/** Event data that contains the name of a failure event; whether it reports one depends on the position. */
const suspectData = new RegExp(String.raw`^data: ?(.*"(?:${literal(failureEvents)})".*)$`, 'gm');
const suspectLine = /^(.*"error".*)$/gm;

function isCompleteStream(text: string): boolean {
  if (!streamEnd.test(text) || failureEvent.test(text) || failedChoice.test(text)) return false;
  return !anyReportsError(text, suspectData);
}

/** Messages of a conversation, or messages that hold a model's own stream. */
function areCompleteMessages(body: Buffer): boolean {
  if (!consistsOfMessages(body) || failureMessageHeaders.some((header) => body.includes(header))) return false;
  if (finalMessageHeaders.some((header) => body.includes(header))) return true;
  const events = [...packedEventsIn(body.toString('latin1'))].map((event) => `data: ${event.replaceAll(/[\r\n]+/g, ' ')}\n`);
  return isCompleteStream(events.join(''));
}

/** Pieces of an answer, in lines, and what the last of them says. */
const pieceInLine = /"delta"\s*:\s*["{]/;
const finishReason = /"finish_reason"\s*:\s*"/;

/** One object per line; Ollama's and Cohere's state whether they are the last. */
function isCompleteSeries(text: string): boolean {
  if (/"(?:done|is_finished)"\s*:\s*false/.test(text) && !/"(?:done|is_finished)"\s*:\s*true/.test(text)) return false;
  if (pieceInLine.test(text) && !streamEnd.test(text) && !finishReason.test(text)) return false;
  return !failedChoice.test(text) && !anyReportsError(text, suspectLine);
}

/** A list that is closed; a stream that is one list needs an end too. */
function isCompleteList(body: Buffer): boolean {
  const elements = elementsAt(body, startOfValue(body));
  let isStream: boolean | undefined;
  for (let next = elements.next(); ; next = elements.next()) {
    if (next.done === true) return next.value && (isStream !== true || streamEnd.test(body.toString('latin1')));
    if (elementReportsError(body, next.value)) return false;
    isStream ??= isOfStream(body, next.value);
  }
}

function elementReportsError(body: Buffer, element: Span): boolean {
  const bytesOfElement = bytesAt(body, element);
  if (!failureWords.some((word) => bytesOfElement.includes(word))) return false;
  return reportsError(bytesOfElement) || failedChoice.test(bytesOfElement.toString('latin1'));
}

function isOfStream(body: Buffer, { start }: Span): boolean {
  return listedMembers.some((name) => findMember(body, start, name) !== undefined);
}

function anyReportsError(text: string, suspects: RegExp): boolean {
  for (const [, json = ''] of text.matchAll(suspects)) if (reportsError(Buffer.from(json, 'latin1'))) return true;
  return false;
}

/** True also for a truncated object. */
function reportsError(json: Buffer): boolean {
  return objectReportsError(json) ?? json[skipWhitespace(json, 0)] === 0x7b;
}
