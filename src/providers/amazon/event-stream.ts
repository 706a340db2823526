import { crc32Small } from '../../platform/crc32.ts';
import { isJsonObject, parseJson } from '../../model/text.ts';
import type { ServerSentEvent } from '../format/sse.ts';

/** The events of an `application/vnd.amazon.eventstream`, converted to server-sent events. */
export interface AmazonEvents {
  readonly events: readonly ServerSentEvent[];
  /** `cut`: within a message. `corrupt`: a message is damaged, so nothing after it can be read. */
  readonly ending: 'whole' | 'cut' | 'corrupt';
}

/** Two lengths and their checksum. */
const preludeBytes = 12;
const checksumBytes = 4;

/**
 * Reads a complete or truncated stream of Amazon's binary messages. An event keeps its type and payload; an event `chunk`, which holds
 * base64 of the model's own stream format, becomes an event of that format; an exception becomes an event `error`. Lengths are checked
 * against the bytes available. Never throws.
 */
export function readAmazonEvents(bytes: Uint8Array): AmazonEvents {
  const events: ServerSentEvent[] = [];
  let start = 0;
  while (start < bytes.length) {
    const message = readMessage(bytes, start);
    if (typeof message === 'string') return { events, ending: message };
    const event = eventOf(message);
    if (event !== undefined) events.push(event);
    start = message.end;
  }
  return { events, ending: 'whole' };
}

/** Whether bytes begin with a message: its two lengths have their checksum. */
export function beginsAmazonMessage(bytes: Uint8Array): boolean {
  return isPrelude(bytes, 0);
}

/** The events of the last messages of a stream whose beginning is missing. Never throws. */
export function readLastAmazonEvents(bytes: Uint8Array): readonly ServerSentEvent[] {
  for (let start = 0; start + preludeBytes <= bytes.length; start += 1) {
    // Lengths of less than 16 MiB begin with 0.
    if (bytes[start] === 0 && isPrelude(bytes, start)) return readAmazonEvents(bytes.subarray(start)).events;
  }
  return [];
}

function isPrelude(bytes: Uint8Array, start: number): boolean {
  if (bytes.length - start < preludeBytes) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(start + 8) === crc32Small(bytes, start, start + 8);
}

interface Message {
  /** Text headers by name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Uint8Array;
  /** Offset of the next message. */
  readonly end: number;
}

function readMessage(bytes: Uint8Array, start: number): Message | 'cut' | 'corrupt' {
  if (bytes.length - start < preludeBytes) return 'cut';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headersLength = view.getUint32(start + 4);
  const end = start + view.getUint32(start);
  const headersEnd = start + preludeBytes + headersLength;
  if (!isPrelude(bytes, start) || headersEnd > end - checksumBytes) return 'corrupt';
  if (end > bytes.length) return 'cut';
  if (view.getUint32(end - checksumBytes) !== crc32Small(bytes, start, end - checksumBytes)) return 'corrupt';
  const headers = readHeaders(bytes.subarray(start + preludeBytes, headersEnd));
  return headers === undefined ? 'corrupt' : { headers, payload: bytes.subarray(headersEnd, end - checksumBytes), end };
}

/** Bytes of a header's value by its type: two booleans, four integers, bytes and text with a length prefix, a timestamp, a UUID. */
const valueBytes: readonly (number | 'counted')[] = [0, 0, 1, 2, 4, 8, 'counted', 'counted', 8, 16];
const textKind = 7;

/** @returns undefined when they are malformed. */
function readHeaders(bytes: Uint8Array): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  while (offset < bytes.length) {
    const nameEnd = offset + 1 + view.getUint8(offset);
    if (nameEnd >= bytes.length) return undefined;
    const kind = view.getUint8(nameEnd);
    const fixed = valueBytes[kind];
    const isCounted = fixed === 'counted';
    if (fixed === undefined || (isCounted && nameEnd + 3 > bytes.length)) return undefined;
    const valueStart = nameEnd + (isCounted ? 3 : 1);
    const valueEnd = valueStart + (isCounted ? view.getUint16(nameEnd + 1) : fixed);
    if (valueEnd > bytes.length) return undefined;
    if (kind === textKind) headers.set(textOf(bytes.subarray(offset + 1, nameEnd)), textOf(bytes.subarray(valueStart, valueEnd)));
    offset = valueEnd;
  }
  return headers;
}

const utf8 = new TextDecoder();
const textOf = (bytes: Uint8Array): string => utf8.decode(bytes);

/** @returns undefined for a message that is neither an event nor an error. */
function eventOf({ headers, payload }: Message): ServerSentEvent | undefined {
  const data = textOf(payload);
  switch (headers.get(':message-type')) {
    case 'event':
      return unwrapped({ event: headers.get(':event-type') ?? '', data });
    case 'exception':
      return failure(headers.get(':exception-type'), data);
    case 'error':
      return failure(headers.get(':error-code'), headers.get(':error-message') ?? '');
    default:
      return undefined;
  }
}

/** Removes Bedrock's envelope around an event of the model's own stream. */
function unwrapped(event: ServerSentEvent): ServerSentEvent {
  const chunk = event.event === 'chunk' ? parseJson(event.data) : undefined;
  if (!isJsonObject(chunk) || typeof chunk['bytes'] !== 'string') return event;
  return { event: 'message', data: Buffer.from(chunk['bytes'], 'base64').toString() };
}

/** Converts a failure to the error event of other streams. @param said an object with a message, or the message. */
function failure(type: string | undefined, said: string): ServerSentEvent {
  const parsed = parseJson(said);
  const details = isJsonObject(parsed) ? parsed : { message: said };
  return { event: 'error', data: JSON.stringify({ type: 'error', error: { type, ...details } }) };
}
