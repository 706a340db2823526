import { firstBytesOf } from '../../model/json/first-bytes.ts';
import { isEventStream } from '../../model/record/media-type.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import { failedChoice, failedElement, failureWords, literal, objectReportsError } from '../json/reported-errors.ts';
import { skipWhitespace } from '../json/scan.ts';

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
  const isBinary = binaryStreamTypes.some((binary) => type.includes(binary)) || firstBytesOf(body) === 'messages';
  if (isBinary) return !failureMessageHeaders.some((header) => body.includes(header));
  if (/ndjson|jsonl|stream\+json/.test(type) || isSeries(body)) return isCompleteSeries(body.toString('latin1'));
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

const { binaryStreamTypes, finalEventTexts, finalEventTypes, failureEvents, failureMessageHeaders } = wireProfile;

const streamEnd = new RegExp([...finalEventTexts, String.raw`"type"\s*:\s*"(?:${finalEventTypes.join('|')})"`].join('|'), 'm');
const failureEvent = new RegExp(String.raw`^event: ?(?:${literal(failureEvents)})\s*$`, 'm');
/** Event data that contains the name of a failure event; whether it reports one depends on the position. */
const suspectData = new RegExp(String.raw`^data: ?(.*"(?:${literal(failureEvents)})".*)$`, 'gm');
const suspectLine = /^(.*"error".*)$/gm;

function isCompleteStream(text: string): boolean {
  if (!streamEnd.test(text) || failureEvent.test(text) || failedChoice.test(text)) return false;
  return !anyReportsError(text, suspectData);
}

/** One object per line; Ollama's objects state whether they are the last. */
function isCompleteSeries(text: string): boolean {
  if (/"done"\s*:\s*false/.test(text) && !/"done"\s*:\s*true/.test(text)) return false;
  return !anyReportsError(text, suspectLine);
}

function anyReportsError(text: string, suspects: RegExp): boolean {
  for (const [, json = ''] of text.matchAll(suspects)) if (reportsError(Buffer.from(json, 'latin1'))) return true;
  return false;
}

/** True also for a truncated object. */
function reportsError(json: Buffer): boolean {
  return objectReportsError(json) ?? json[skipWhitespace(json, 0)] === 0x7b;
}
