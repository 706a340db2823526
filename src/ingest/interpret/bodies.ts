import type { Exchange, ExchangeOpen } from '../../model/record/exchange.ts';
import { jsonCost, jsonExcess, maxJsonCost } from '../../model/json/bounds.ts';
import { MarkedNumbers, mayLoseDigits, withFewMarkedNumbers } from '../../model/json/exact-numbers.ts';
import { firstBytesOf } from '../../model/json/first-bytes.ts';
import { logMetadataOf } from '../../model/record/log-metadata.ts';
import { isAmazonEventStream, isEventStream } from '../../model/record/media-type.ts';
import type { RecordedBody } from '../../model/record/request-record.ts';
import { isJsonObject, parseJson, parseRecordedJson } from '../../model/text.ts';
import { beginsAmazonMessage, readAmazonEvents } from '../../providers/amazon/event-stream.ts';
import { noResponseFields } from '../../providers/format/fields.ts';
import type { AssembledStream, RequestFields, ResponseFields, WireFormat } from '../../providers/format/provider.ts';
import { eventsOfLines, readServerSentEvents, type ServerSentEvent } from '../../providers/format/sse.ts';
import { requestedModel, respondedModel } from '../../providers/format/unread.ts';
import { decodeContent, inUtf8, type ReadBody, readBody, readUtf8, recordBody, recordJson, recordText, textOfBytes } from './body.ts';
import { isForm, readForm } from './multipart.ts';
import { errorIn } from './error-events.ts';
import { endOfStream, truncatedMembers, fieldsAtEnd, multipartTail, outermostMembers, withTruncatedTail } from './truncated-bodies.ts';

/** A request's recorded body, and what was read of it. */
export interface ReadRequest {
  readonly body: RecordedBody;
  /** Parsed JSON or the fields of a form; undefined when it is neither. */
  readonly parsed: unknown;
  readonly fields: RequestFields;
}

/** A response's recorded body, and what was read of it. */
export interface ReadResponse {
  readonly body: RecordedBody;
  /** Parsed JSON or an assembled stream; undefined for anything else. */
  readonly parsed: unknown;
  readonly fields: ResponseFields;
  readonly streamed: boolean;
  /** It has several pieces that no wire format assembled, so that a text may be split across them. */
  readonly inPieces: boolean;
  /** The response is known to be whole from its own content. */
  readonly isComplete: boolean;
  /** What an event of a stream says of an error, where the stream is not assembled or its end is not recorded. */
  readonly errorEvent?: unknown;
}

const noRequestFields: RequestFields = { model: '', user: '', promptText: '', firstUserText: '', lastUserText: '' };
const absent: RecordedBody = { kind: 'absent' };
const noText = { text: undefined, parsed: undefined };
/** Last messages of an unparsed stream that are searched for its usage. */
const lastEvents = 64;
/** Max lines that are searched for the first two non-blank ones. */
const maxBlankLines = 64;

/**
 * The path that identifies the endpoint: that of the target URL, because the caller's path may lack a part that is in the base URL (`Svc-
 * Target-Url: https://host/v1` and `/messages`); the caller's path without a target. That of a logged call is always one of the API.
 */
export function upstreamPath(open: ExchangeOpen): string {
  const { path, targetUrl } = open;
  return targetUrl === '' || logMetadataOf(open) !== undefined ? path : targetUrl.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
}

/** Reads a request in the provider's wire format; without one only its model is read. */
export function readRequest(exchange: Exchange, format: WireFormat | undefined): ReadRequest {
  const { open, requestBody } = exchange;
  const contentType = open.headers['content-type'] ?? '';
  const encoding = open.headers['content-encoding'];
  const read = readBody(requestBody, encoding, contentType);
  const body = recordBody(requestBody, read, contentType);
  const parsed = isForm(contentType)
    ? {
        ...multipartTail(exchange, contentType, encoding),
        ...readForm(decodeContent(requestBody, encoding) ?? Buffer.alloc(0), contentType),
      }
    : read.parsed;
  if (read.text === undefined && parsed === undefined) return { body, parsed, fields: noRequestFields };
  const { model = open.model } = exchange.end ?? exchange.responseHead ?? {};
  if (format === undefined) {
    const fields = fieldsWithoutFormat(open, parsed);
    return { body, parsed, fields: model === undefined ? fields : { ...fields, model } };
  }
  const readable = parsed ?? (read.isExcessive ? outermostMembers(read.text) : truncatedMembers(exchange, encoding));
  const fields = format.readRequest(readable, upstreamPath(open));
  // With several attempts, the record has the model of the last.
  return { body, parsed, fields: model === undefined ? fields : { ...fields, model } };
}

/** A POST names its model even where the endpoint is not understood. */
function fieldsWithoutFormat(open: ExchangeOpen, parsed: unknown): RequestFields {
  return open.method === 'POST' ? { ...noRequestFields, model: requestedModel(parsed, upstreamPath(open)) } : noRequestFields;
}

/** Reads a response in the provider's wire format: a stream, a JSON body, or a text where the format knows one. */
export function readResponse(exchange: Exchange, format: WireFormat | undefined): ReadResponse {
  const read = withHeaders(readResponseBody(exchange, format), exchange, format);
  const response = exchange.responseTail === undefined ? read : withTail(read, exchange, format);
  const header = format?.responseIdHeader;
  const responseId = header === undefined ? undefined : exchange.responseHead?.headers[header];
  if (responseId === undefined || response.fields.responseId !== '') return response;
  return { ...response, fields: { ...response.fields, responseId } };
}

function withTail(read: ReadResponse, exchange: Exchange, format: WireFormat | undefined): ReadResponse {
  const { fields, errorEvent } = withTruncatedTail(read.fields, exchange, format);
  return { ...read, fields, errorEvent: read.streamed ? (read.errorEvent ?? errorEvent) : undefined };
}

function withHeaders(read: ReadResponse, { responseHead }: Exchange, format: WireFormat | undefined): ReadResponse {
  if (format?.readHeaders === undefined || read.streamed || responseHead === undefined) return read;
  return { ...read, fields: format.readHeaders(read.fields, responseHead.headers) };
}

/** What a body is, is told by its bytes. Its content type is a hint only: some servers name none for a stream, or another. */
function readResponseBody(exchange: Exchange, format: WireFormat | undefined): ReadResponse {
  const headers = exchange.responseHead?.headers ?? {};
  const contentType = headers['content-type'] ?? '';
  const decoded = decodeContent(exchange.responseBody, headers['content-encoding']);
  const utf8 = decoded === undefined ? undefined : inUtf8(decoded, contentType);
  const framing = framingOf(decoded, utf8, contentType);
  if (framing === 'messages' && decoded !== undefined) {
    return readAmazonStream(decoded, recordBody(exchange.responseBody, noText, contentType), format);
  }
  if (framing === 'events' && utf8 !== undefined) return readStream(utf8, textOfBytes(utf8, contentType) ?? '', format);
  const read = readUtf8(utf8, contentType);
  const stream = readList(read, format) ?? readLines(read, format) ?? readUnnamedStream(read, utf8, format);
  if (stream !== undefined) return stream;
  const body = recordBody(exchange.responseBody, read, contentType);
  const isComplete = isCompleteBody(exchange, headers['content-length'], read.parsed);
  const fields = format === undefined ? { ...noResponseFields, model: respondedModel(read.parsed) } : fieldsOf(read, format);
  return { body, parsed: read.parsed, fields, streamed: false, inPieces: isLines(read), isComplete };
}

/** @returns undefined for JSON, also in lines, and for whatever only its text shows. */
function framingOf(decoded: Buffer | undefined, utf8: Buffer | undefined, contentType: string): 'messages' | 'events' | undefined {
  if (decoded === undefined || utf8 === undefined || firstBytesOf(utf8) === 'json') return undefined;
  if (isAmazonEventStream(contentType) || beginsAmazonMessage(decoded)) return 'messages';
  return isEventStream(contentType) ? 'events' : undefined;
}

const eventLine = /^(?:data|event):/m;

/**
 * A stream of events under another content type or none. Beside the events of a wire format, any two events count as one: no redaction rule
 * finds a text that is split across them.
 */
function readUnnamedStream({ text, parsed }: ReadBody, utf8: Buffer | undefined, format: WireFormat | undefined): ReadResponse | undefined {
  if (utf8 === undefined || text === undefined || parsed !== undefined || !eventLine.test(text)) return undefined;
  const stream = readStream(utf8, text, format);
  return stream.parsed !== undefined || stream.inPieces ? stream : undefined;
}

function fieldsOf({ text, parsed, isExcessive }: ReadBody, format: WireFormat): ResponseFields {
  if (isExcessive) return fieldsAtEnd(text, format);
  if (format.readText !== undefined && text !== undefined && typeof parsed !== 'object') return format.readText(text);
  return parsed === undefined ? noResponseFields : format.readResponse(parsed);
}

/** A body is whole when it has the declared length; where none was declared, when it is a JSON value that is closed at its end. */
function isCompleteBody({ open, responseHead, responseBody }: Exchange, declaredLength: string | undefined, parsed: unknown): boolean {
  if (open.method === 'HEAD' || responseHead?.status === 204 || responseHead?.status === 304) return true;
  if (declaredLength !== undefined) return Number(declaredLength) === responseBody.length;
  return typeof parsed === 'object' && parsed !== null;
}

function readStream(decoded: Buffer, text: string, format: WireFormat | undefined): ReadResponse {
  if (jsonExcess(text) !== undefined) {
    const end = endOfStream(text, format);
    return { body: recordText(text, undefined), parsed: undefined, ...end, streamed: true, inPieces: true, isComplete: false };
  }
  const events = readServerSentEvents([decoded]);
  const { exact, isExact } = mayLoseDigits(text) ? withExactData(events) : { exact: events, isExact: true };
  const assembled = format?.assembleStream(exact);
  if (format !== undefined && assembled?.understood === true) return understoodStream({ ...assembled, isExact }, text, format);
  const body = text === '' ? absent : recordText(text, undefined);
  const inPieces = events.length > 1;
  const isComplete = assembled?.isComplete ?? false;
  return { body, parsed: undefined, fields: noResponseFields, streamed: true, inPieces, isComplete, errorEvent: errorIn(events) };
}

/**
 * Assembles a stream of binary messages if it is understood. Otherwise, or after a corrupt message, the bytes are recorded, because their
 * other content is unknown.
 */
function readAmazonStream(decoded: Buffer, bytes: RecordedBody, format: WireFormat | undefined): ReadResponse {
  const { events, ending } = readAmazonEvents(decoded);
  const isExcessive = areExcessive(events);
  const { exact, isExact } = withExactData(isExcessive ? events.slice(-lastEvents) : events);
  const assembled = format?.assembleStream(exact);
  // Texts are base64-encoded and span messages, where no redaction rule finds them.
  const asBytes: ReadResponse = {
    body: bytes,
    parsed: undefined,
    fields: noResponseFields,
    streamed: true,
    inPieces: true,
    isComplete: false,
  };
  if (format === undefined || assembled?.understood !== true) return asBytes;
  const written = recordJson(assembled.body);
  const parsed = valueOf(assembled.body, written);
  const understood = { ...asBytes, parsed, fields: format.readResponse(parsed), isComplete: assembled.isComplete };
  const json = ending === 'corrupt' || isExcessive || !isExact ? undefined : written;
  return json === undefined ? understood : { ...understood, body: json, inPieces: false };
}

/** Whether a message is nested too deeply, or all together cost too much, to be parsed. */
function areExcessive(events: readonly ServerSentEvent[]): boolean {
  let cost = events.length;
  for (const { data } of events) {
    if (jsonExcess(data) === 'depth') return true;
    cost += jsonCost(data);
    if (cost > maxJsonCost) return true;
  }
  return false;
}

/** Whether a text is JSON by line, as streams without events are. */
function isLines({ text, parsed }: ReadBody): boolean {
  if (text === undefined || parsed !== undefined || !/^\s*\{/.test(text)) return false;
  const [first, second] = text.split('\n', maxBlankLines).filter((line) => line.trim() !== '');
  return isJsonObject(parseJson(first ?? '')) && second?.trimStart().startsWith('{') === true;
}

/** A stream written as one JSON array, which has no content type of its own, or as JSON by line. */
function readList({ text, isExcessive }: ReadBody, format: WireFormat | undefined): ReadResponse | undefined {
  if (text === undefined || isExcessive || format?.assembleList === undefined) return undefined;
  const marked = withFewMarkedNumbers(text, 'values');
  const assembled = format.assembleList(marked ?? text);
  return assembled.understood ? understoodStream({ ...assembled, isExact: marked !== undefined }, text, format) : undefined;
}

/** A stream of events that is written as JSON by line, as clients log it and as some servers send it. */
function readLines(read: ReadBody, format: WireFormat | undefined): ReadResponse | undefined {
  if (format === undefined || !isLines(read)) return undefined;
  const { text = '' } = read;
  const events = eventsOfLines(text);
  if (areExcessive(events)) return undefined;
  const { exact, isExact } = withExactData(events);
  const assembled = format.assembleStream(exact);
  return assembled.understood ? understoodStream({ ...assembled, isExact }, text, format) : undefined;
}

/** Whether the numbers of an assembled stream have the digits that came. */
type ExactlyAssembled = AssembledStream & { readonly isExact: boolean };

/** Records a stream in the provider's non-streaming shape; as it came, in its pieces, where that would be too large or change numbers. */
function understoodStream({ body, isComplete, isExact }: ExactlyAssembled, text: string, format: WireFormat): ReadResponse {
  const written = isExact ? recordJson(body) : undefined;
  const parsed = valueOf(body, written);
  const fields = format.readResponse(parsed);
  return { body: written ?? recordText(text, undefined), parsed, fields, streamed: true, inPieces: written === undefined, isComplete };
}

/** The events with marked numbers; as they came where very many would have to be marked. */
function withExactData(events: readonly ServerSentEvent[]): { readonly exact: readonly ServerSentEvent[]; readonly isExact: boolean } {
  const numbers = new MarkedNumbers();
  const exact: ServerSentEvent[] = [];
  for (const event of events) {
    const data = numbers.mark(event.data, 'values');
    if (data === undefined) return { exact: events, isExact: false };
    exact.push(data === event.data ? event : { ...event, data });
  }
  return { exact, isExact: true };
}

/** The value of an assembled body for readers, to whom a number is a number. */
function valueOf(body: unknown, written: RecordedBody | undefined): unknown {
  if (written?.kind !== 'json' || !mayLoseDigits(written.text)) return body;
  return parseRecordedJson(written.text);
}
