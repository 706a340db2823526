import type { Exchange } from '../model/exchange.ts';
import { isEventStream } from '../model/media-type.ts';
import type { RecordedBody } from '../model/request-record.ts';
import { noResponseFacts } from '../providers/facts.ts';
import type { AssembledStream, RequestFacts, ResponseFacts, WireFormat } from '../providers/provider.ts';
import { readServerSentEvents } from '../providers/sse.ts';
import { decodeContent, type ReadBody, readBody, recordBody, recordText, textOfBytes } from './body.ts';
import { isForm, readForm } from './form.ts';

/** What a request is recorded as, and what it says. */
export interface ReadRequest {
  readonly body: RecordedBody;
  /** Parsed JSON or the fields of a form; undefined when it is neither. */
  readonly parsed: unknown;
  readonly facts: RequestFacts;
}

/** What a response is recorded as, and what it says. */
export interface ReadResponse {
  readonly body: RecordedBody;
  /** Parsed JSON, or a stream put together; undefined when it is neither. */
  readonly parsed: unknown;
  readonly facts: ResponseFacts;
  readonly streamed: boolean;
  /** The response is known to be whole from its own content. */
  readonly whole: boolean;
}

const noRequestFacts: RequestFacts = { model: '', user: '', promptText: '', lastUserText: '' };
const absent: RecordedBody = { kind: 'absent' };

/** Reads a request in the provider's wire format; without one it is recorded and says nothing. */
export function readRequest(exchange: Exchange, format: WireFormat | undefined): ReadRequest {
  const { open, requestBody } = exchange;
  const contentType = open.headers['content-type'] ?? '';
  const encoding = open.headers['content-encoding'];
  const read = readBody(requestBody, encoding, contentType);
  const body = recordBody(requestBody, read, contentType);
  const parsed = isForm(contentType) ? readForm(decodeContent(requestBody, encoding) ?? Buffer.alloc(0), contentType) : read.parsed;
  if ((read.text === undefined && parsed === undefined) || format === undefined) return { body, parsed, facts: noRequestFacts };
  const { model } = exchange.end ?? exchange.responseHead ?? {};
  const facts = format.readRequest(parsed, open.path);
  // Of several attempts the record is of the last.
  return { body, parsed, facts: model === undefined ? facts : { ...facts, model } };
}

/** Reads a response in the provider's wire format: a stream, a JSON body, or a text where the format knows one. */
export function readResponse(exchange: Exchange, format: WireFormat | undefined): ReadResponse {
  const headers = exchange.responseHead?.headers ?? {};
  const contentType = headers['content-type'] ?? '';
  const encoding = headers['content-encoding'];
  if (isEventStream(contentType)) {
    const decoded = decodeContent(exchange.responseBody, encoding);
    if (decoded !== undefined) return readStream(decoded, textOfBytes(decoded, contentType) ?? '', format);
  }
  const read = readBody(exchange.responseBody, encoding, contentType);
  const list = readList(read, format);
  if (list !== undefined) return list;
  const body = recordBody(exchange.responseBody, read, contentType);
  const whole = isWhole(exchange, headers['content-length'], read.parsed);
  return { body, parsed: read.parsed, facts: factsOf(read, format), streamed: false, whole };
}

function factsOf({ text, parsed }: ReadBody, format: WireFormat | undefined): ResponseFacts {
  if (format?.readText !== undefined && text !== undefined && typeof parsed !== 'object') return format.readText(text);
  return parsed === undefined || format === undefined ? noResponseFacts : format.readResponse(parsed);
}

/** A body is whole when it has the declared length; where none was declared, when it is a JSON value that is closed at its end. */
function isWhole({ open, responseHead, responseBody }: Exchange, declaredLength: string | undefined, parsed: unknown): boolean {
  if (open.method === 'HEAD' || responseHead?.status === 204 || responseHead?.status === 304) return true;
  if (declaredLength !== undefined) return Number(declaredLength) === responseBody.length;
  return typeof parsed === 'object' && parsed !== null;
}

function readStream(decoded: Buffer, text: string, format: WireFormat | undefined): ReadResponse {
  const assembled = format?.assembleStream(readServerSentEvents([decoded]));
  if (format !== undefined && assembled?.understood === true) return understoodStream(assembled, text, format);
  const body = text === '' ? absent : recordText(text, undefined);
  return { body, parsed: undefined, facts: noResponseFacts, streamed: true, whole: assembled?.whole ?? false };
}

/** A stream that is written as one JSON list, which has no content type of its own. */
function readList({ text }: ReadBody, format: WireFormat | undefined): ReadResponse | undefined {
  if (text === undefined || format?.assembleList === undefined) return undefined;
  const assembled = format.assembleList(text);
  return assembled.understood ? understoodStream(assembled, text, format) : undefined;
}

/** A stream is put together into the provider's non-streaming shape; what cannot be understood stays text. */
function understoodStream({ body, whole }: AssembledStream, text: string, format: WireFormat): ReadResponse {
  return { body: recordText(text, body), parsed: body, facts: format.readResponse(body), streamed: true, whole };
}
