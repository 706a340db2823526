import { InternTable } from '../../platform/http/intern-table.ts';
import { fieldName } from '../../platform/http/header-list.ts';

/** The rule for the end of a response's body. */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  /** It ends when the connection closes. */
  | { readonly kind: 'to close' };

export interface ResponseHead {
  readonly status: number;
  /** Reason phrase, may be empty. */
  readonly message: string;
  /** Headers in wire order and case, names and values in turn; bytes as Latin-1. */
  readonly lines: string[];
  readonly length: BodyFraming;
  /** The connection may be reused. */
  readonly keepsConnection: boolean;
  /** How long the provider keeps an idle connection, milliseconds; undefined if it does not say. */
  readonly keepAliveMs: number | undefined;
}

/** The response is not HTTP/1.1, or is ambiguous. */
export class InvalidResponseError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'InvalidResponseError';
  }
}

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: ([^\r\n]*))?$/;
/** Characters that a header must not contain. */
const illegal = /[\u0000-\u0008\u000a-\u001f\u007f]/;
/** The same without CR and LF, which {@link endOfLine} checks. */
const illegalInHead = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const illegalHead = 'its head has characters that are not allowed there';
const integer = /^\d{1,15}$/;

type LineKind = 'connection' | 'keep-alive' | 'length' | 'coding' | 'other' | 'none';

const lineKinds: ReadonlyMap<string, LineKind> = new Map<string, LineKind>([
  ['connection', 'connection'],
  ['keep-alive', 'keep-alive'],
  ['content-length', 'length'],
  ['transfer-encoding', 'coding'],
]);

/** Everything in the headers that decides about the body and the connection. */
interface Framing {
  contentLength: number | undefined;
  isChunked: boolean;
  closes: boolean;
  keeps: boolean;
  keepAliveMs: number | undefined;
}

interface Draft extends Framing {
  readonly text: string;
  readonly lines: string[];
}

interface StatusLine {
  readonly isHttp10: boolean;
  readonly status: number;
  readonly message: string;
}

const statusLines = new InternTable((line): StatusLine => {
  const start = statusLine.exec(line);
  if (start === null) throw new InvalidResponseError('its first line is not a status line of HTTP/1.1');
  return { isHttp10: start[1] === '0', status: Number(start[2]), message: start[3] ?? '' };
});

/** Kind of a header, by its name; `none`: the name is invalid. */
const names = new InternTable((name): LineKind => {
  // The continuation of a folded line (RFC 9112 §5.2) begins with white space, so its name is invalid.
  return fieldName.test(name) ? (lineKinds.get(name.toLowerCase()) ?? 'other') : 'none';
});

/**
 * Parses the head of a response.
 * @param text the head without its last line end, Latin-1.
 * @param isHeadResponse the request's method was HEAD.
 * @throws InvalidResponseError.
 */
export function readResponseLines(text: string, isHeadResponse: boolean): ResponseHead {
  if (illegalInHead.test(text)) throw new InvalidResponseError(illegalHead);
  let end = endOfLine(text, 0);
  const { isHttp10, status, message } = statusLines.at(0, text.slice(0, end));
  // HTTP/1.0 has no interim responses; a client that took one for final would wait for ever.
  if (status < 200 && isHttp10) throw new InvalidResponseError('it has an interim head of HTTP/1.0');
  if (status === 101) throw new InvalidResponseError('it changes to a protocol that nobody asked for');
  const draft: Draft = { text, lines: [], contentLength: undefined, isChunked: false, closes: false, keeps: false, keepAliveMs: undefined };
  while (end < text.length) {
    const start = end + 2;
    end = endOfLine(text, start);
    addLine(draft, start, end);
  }
  // RFC 9112 §6.1: HTTP/1.0 has no transfer codings, so the framing is faulty.
  if (isHttp10 && draft.isChunked) throw new InvalidResponseError('it is of HTTP/1.0 and has a Transfer-Encoding');
  const length = lengthOf(status, isHeadResponse, draft);
  const { lines, closes, keeps, keepAliveMs } = draft;
  if (status < 200 && closes) throw new InvalidResponseError('an interim head says that its connection is closed');
  const isKept = !closes && (keeps || !isHttp10);
  return { status, message, lines, length, keepsConnection: isKept && length.kind !== 'to close', keepAliveMs };
}

/** @returns the end of the line that begins at `start`. @throws InvalidResponseError for a CR or LF on its own. */
function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\r', start);
  const lineFeed = text.indexOf('\n', start);
  if (end === -1 && lineFeed === -1) return text.length;
  if (end === -1 || lineFeed !== end + 1) throw new InvalidResponseError(illegalHead);
  return end;
}

function addLine(draft: Draft, start: number, end: number): void {
  const { text } = draft;
  const colon = text.indexOf(':', start);
  const name = colon === -1 || colon > end ? '' : text.slice(start, colon);
  const kind = names.at(draft.lines.length >> 1, name);
  if (kind === 'none') throw new InvalidResponseError('a header line has no name, or a name with characters that are not allowed in it');
  const value = trimmed(text, start + name.length + 1, end);
  draft.lines.push(name, value);
  switch (kind) {
    case 'connection':
      readConnection(draft, value);
      break;
    case 'keep-alive':
      readKeepAlive(draft, value);
      break;
    case 'length':
      readLength(draft, strictValue(text.slice(start, end), value));
      break;
    case 'coding':
      readCoding(draft, strictValue(text.slice(start, end), value));
      break;
    case 'other':
  }
}

/** @throws InvalidResponseError for a line that is no header, or gives the length of the body. */
export function checkTrailer(line: string): void {
  const name = line.slice(0, Math.max(0, line.indexOf(':')));
  if (illegal.test(line) || !fieldName.test(name)) throw new InvalidResponseError('a trailer is no header line');
  // RFC 9110 §6.5.1: trailers must not decide about the framing.
  if (/^(?:content-length|transfer-encoding)$/i.test(name)) throw new InvalidResponseError('a trailer says how long the body is');
}

/** TRICKY: `trim` would also remove 0xA0, a byte of the value here. */
function trimmed(text: string, from: number, to: number): string {
  let [start, end] = [from, to];
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** TRICKY: with a trailing tab, Node's parser reads neither `chunked` nor a length. The whole line is returned, which is neither. */
function strictValue(line: string, value: string): string {
  return /\t[\t ]*$/.test(line) ? line : value;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9;
}

function readKeepAlive(framing: Framing, value: string): void {
  const seconds = /(?:^|[,; ])timeout=(\d{1,9})/i.exec(value)?.[1];
  if (seconds !== undefined) framing.keepAliveMs = Number(seconds) * 1000;
}

function readConnection(framing: Framing, value: string): void {
  for (const option of value.toLowerCase().split(',')) {
    const token = trimmed(option, 0, option.length);
    if (token === 'close') framing.closes = true;
    if (token === 'keep-alive') framing.keeps = true;
  }
}

function readLength(framing: Framing, value: string): void {
  if (framing.contentLength !== undefined) throw new InvalidResponseError('it has more than one Content-Length');
  if (!integer.test(value)) throw new InvalidResponseError('its Content-Length is not a whole number');
  framing.contentLength = Number(value);
}

/** TRICKY: another coding would stay in the body without its reader knowing. We offer none, so there is none to decode. */
function readCoding(framing: Framing, value: string): void {
  if (framing.isChunked || value.toLowerCase() !== 'chunked') {
    throw new InvalidResponseError('it has a Transfer-Encoding other than chunked');
  }
  framing.isChunked = true;
}

/** RFC 9112 §6.3. */
function lengthOf(status: number, isHeadResponse: boolean, { contentLength, isChunked }: Framing): BodyFraming {
  if (contentLength !== undefined && isChunked) throw new InvalidResponseError('it has both a Content-Length and a Transfer-Encoding');
  if (isHeadResponse || status < 200 || status === 204 || status === 304) return none;
  if (isChunked) return { kind: 'chunked' };
  return contentLength === undefined ? { kind: 'to close' } : { kind: 'bytes', bytes: contentLength };
}

const none: BodyFraming = { kind: 'none' };
