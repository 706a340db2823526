import { InternTable } from '../../platform/http/intern-table.ts';
import { fieldName } from '../../platform/http/header-list.ts';

/** How a reply's body is told from what follows it. */
export type BodyFraming =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  /** It ends with its connection. */
  | { readonly kind: 'to close' };

/** The head of a reply, as its connection needs it. */
export interface ResponseHead {
  readonly status: number;
  /** Reason phrase, empty where there is none. */
  readonly message: string;
  /** Header lines in wire order and case, name and value in turn; bytes as Latin-1. */
  readonly lines: string[];
  readonly length: BodyFraming;
  /** The connection may be used for a further request. */
  readonly keepsConnection: boolean;
  /** How long the provider keeps an idle connection, milliseconds; undefined where it does not say. */
  readonly keptForMs: number | undefined;
}

/** What the provider sent is not HTTP/1.1, or can be read in more than one way. */
export class InvalidResponseError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'InvalidResponseError';
  }
}

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: ([^\r\n]*))?$/;
/** Nothing of these may be in a line. */
const illegal = /[\u0000-\u0008\u000a-\u001f\u007f]/;
/** The same but for CR and LF: {@link endOfLine} looks for those. */
const illegalInHead = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
const illegalHead = 'its head has characters that are not allowed there';
const wholeNumber = /^\d{1,15}$/;

type LineKind = 'connection' | 'keep-alive' | 'length' | 'coding' | 'other' | 'none';

const lineKinds: ReadonlyMap<string, LineKind> = new Map<string, LineKind>([
  ['connection', 'connection'],
  ['keep-alive', 'keep-alive'],
  ['content-length', 'length'],
  ['transfer-encoding', 'coding'],
]);

/** What of the lines decides about the body and the connection. */
interface Framing {
  contentLength: number | undefined;
  isChunked: boolean;
  closes: boolean;
  keeps: boolean;
  keptForMs: number | undefined;
}

/** Lines as they are read. */
interface Draft extends Framing {
  readonly text: string;
  readonly lines: string[];
}

/** The first line of a head. */
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

/** What a line is about, by its name; `none`: that is no name. */
const names = new InternTable((name): LineKind => {
  // A line that goes on in the next one (RFC 9112 §5.2) begins with white space, which no name has.
  return fieldName.test(name) ? (lineKinds.get(name.toLowerCase()) ?? 'other') : 'none';
});

/**
 * Reads the head of a reply. @param text the head as Latin-1 without its last line end. @param toHead the request's method was HEAD.
 * @throws InvalidResponseError.
 */
export function readResponseLines(text: string, toHead: boolean): ResponseHead {
  if (illegalInHead.test(text)) throw new InvalidResponseError(illegalHead);
  let end = endOfLine(text, 0);
  const { isHttp10, status, message } = statusLines.at(0, text.slice(0, end));
  // HTTP/1.0 has no interim responses; a client that took one for final would wait for ever.
  if (status < 200 && isHttp10) throw new InvalidResponseError('it has an interim head of HTTP/1.0');
  if (status === 101) throw new InvalidResponseError('it changes to a protocol that nobody asked for');
  const draft: Draft = { text, lines: [], contentLength: undefined, isChunked: false, closes: false, keeps: false, keptForMs: undefined };
  while (end < text.length) {
    const start = end + 2;
    end = endOfLine(text, start);
    addLine(draft, start, end);
  }
  // RFC 9112 §6.1: HTTP/1.0 has no codings, so that its body is told in two ways.
  if (isHttp10 && draft.isChunked) throw new InvalidResponseError('it is of HTTP/1.0 and has a Transfer-Encoding');
  const length = lengthOf(status, toHead, draft);
  const { lines, closes, keeps, keptForMs } = draft;
  if (status < 200 && closes) throw new InvalidResponseError('an interim head says that its connection is closed');
  const isKept = !closes && (keeps || !isHttp10);
  return { status, message, lines, length, keepsConnection: isKept && length.kind !== 'to close', keptForMs };
}

/** @returns where the line that begins at `start` ends, before its line end. @throws InvalidResponseError for half a line end. */
function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\r', start);
  const behind = text.indexOf('\n', start);
  if (end === -1 && behind === -1) return text.length;
  if (end === -1 || behind !== end + 1) throw new InvalidResponseError(illegalHead);
  return end;
}

function addLine(draft: Draft, start: number, end: number): void {
  const { text } = draft;
  const colon = text.indexOf(':', start);
  const name = colon === -1 || colon > end ? '' : text.slice(start, colon);
  const kind = names.at(draft.lines.length >> 1, name);
  if (kind === 'none') throw new InvalidResponseError('a header line has no name, or a name with characters that are not allowed in it');
  const value = withoutSpace(text, start + name.length + 1, end);
  draft.lines.push(name, value);
  switch (kind) {
    case 'connection':
      readConnection(draft, value);
      break;
    case 'keep-alive':
      readKeepAlive(draft, value);
      break;
    case 'length':
      readLength(draft, unambiguous(text.slice(start, end), value));
      break;
    case 'coding':
      readCoding(draft, unambiguous(text.slice(start, end), value));
      break;
    case 'other':
  }
}

/** A trailer line. @throws InvalidResponseError for what no line may be. */
export function checkTrailer(line: string): void {
  const name = line.slice(0, Math.max(0, line.indexOf(':')));
  if (illegal.test(line) || !fieldName.test(name)) throw new InvalidResponseError('a trailer is no header line');
  // RFC 9110 §6.5.1: it comes too late to say where the body ends.
  if (/^(?:content-length|transfer-encoding)$/i.test(name)) throw new InvalidResponseError('a trailer says how long the body is');
}

/** TRICKY: `trim` takes characters away that are bytes of a text here, 0xA0 among them. */
function withoutSpace(text: string, from: number, to: number): string {
  let [start, end] = [from, to];
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** TRICKY: with a tab behind it Node's parser takes `chunked` for another coding, and a length for none. Such a line's value is none here. */
function unambiguous(line: string, value: string): string {
  return /\t[\t ]*$/.test(line) ? line : value;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9;
}

function readKeepAlive(framing: Framing, value: string): void {
  const seconds = /(?:^|[,; ])timeout=(\d{1,9})/i.exec(value)?.[1];
  if (seconds !== undefined) framing.keptForMs = Number(seconds) * 1000;
}

function readConnection(framing: Framing, value: string): void {
  for (const option of value.toLowerCase().split(',')) {
    const asked = withoutSpace(option, 0, option.length);
    if (asked === 'close') framing.closes = true;
    if (asked === 'keep-alive') framing.keeps = true;
  }
}

function readLength(framing: Framing, value: string): void {
  if (framing.contentLength !== undefined) throw new InvalidResponseError('it has more than one Content-Length');
  if (!wholeNumber.test(value)) throw new InvalidResponseError('its Content-Length is not a whole number');
  framing.contentLength = Number(value);
}

/** TRICKY: a coding beside `chunked` would stay in the body, whose reader is told of none. We offer none, so there is none to be undone. */
function readCoding(framing: Framing, value: string): void {
  if (framing.isChunked || value.toLowerCase() !== 'chunked') {
    throw new InvalidResponseError('it has a Transfer-Encoding other than chunked');
  }
  framing.isChunked = true;
}

/** RFC 9112 §6.3. */
function lengthOf(status: number, toHead: boolean, { contentLength, isChunked }: Framing): BodyFraming {
  if (contentLength !== undefined && isChunked) throw new InvalidResponseError('it has both a Content-Length and a Transfer-Encoding');
  if (toHead || status < 200 || status === 204 || status === 304) return none;
  if (isChunked) return { kind: 'chunked' };
  return contentLength === undefined ? { kind: 'to close' } : { kind: 'bytes', bytes: contentLength };
}

const none: BodyFraming = { kind: 'none' };
