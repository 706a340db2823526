import { fieldName } from './headers.ts';

/** How a reply's body is told from what follows it. */
export type ReplyLength =
  | { readonly kind: 'none' }
  | { readonly kind: 'bytes'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  /** It ends with its connection. */
  | { readonly kind: 'to close' };

/** The head of a reply, as its connection needs it. */
export interface ReplyLines {
  readonly status: number;
  /** Reason phrase, empty where there is none. */
  readonly message: string;
  /** Header lines in wire order and case, name and value in turn; bytes as Latin-1. */
  readonly lines: string[];
  readonly length: ReplyLength;
  /** The connection may be used for a further request. */
  readonly keepsConnection: boolean;
  /** How long the provider keeps an idle connection, milliseconds; undefined where it does not say. */
  readonly keptForMs: number | undefined;
}

/** What the provider sent is not HTTP/1.1, or can be read in more than one way. */
export class NotHttpError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'NotHttpError';
  }
}

const statusLine = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: ([^\r\n]*))?$/;
/** Beside line ends nothing of these may be in a head, and these only as a pair. */
const illegal = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|\r(?!\n)|(?<!\r)\n/;
const wholeNumber = /^\d{1,15}$/;

/** What of the lines decides about the body and the connection. */
interface Framing {
  contentLength: number | undefined;
  isChunked: boolean;
  closes: boolean;
  keeps: boolean;
  keptForMs: number | undefined;
}

/**
 * Reads the head of a reply. @param text the head as Latin-1 without its last line end. @param toHead the request's method was HEAD.
 * @throws NotHttpError.
 */
export function readReplyLines(text: string, toHead: boolean): ReplyLines {
  if (illegal.test(text)) throw new NotHttpError('its head has characters that are not allowed there');
  const firstEnd = text.indexOf('\r\n');
  const start = statusLine.exec(firstEnd === -1 ? text : text.slice(0, firstEnd));
  if (start === null) throw new NotHttpError('its first line is not a status line of HTTP/1.1');
  const status = Number(start[2]);
  // HTTP/1.0 has none of these, and is waited for in vain by who takes them for the reply.
  if (status < 200 && start[1] === '0') throw new NotHttpError('it has an interim head of HTTP/1.0');
  if (status === 101) throw new NotHttpError('it changes to a protocol that nobody asked for');
  const lines: string[] = [];
  const framing: Framing = { contentLength: undefined, isChunked: false, closes: false, keeps: false, keptForMs: undefined };
  for (let at = firstEnd; at !== -1;) {
    const begin = at + 2;
    at = text.indexOf('\r\n', begin);
    addLine(lines, framing, at === -1 ? text.slice(begin) : text.slice(begin, at));
  }
  const length = lengthOf(status, toHead, framing);
  const isKept = start[1] === '1' ? !framing.closes : framing.keeps && !framing.closes;
  const { keptForMs } = framing;
  return { status, message: start[3] ?? '', lines, length, keepsConnection: isKept && length.kind !== 'to close', keptForMs };
}

function addLine(lines: string[], framing: Framing, line: string): void {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon));
  // A line that goes on in the next one (RFC 9112 §5.2) begins with white space, which no name has.
  if (!fieldName.test(name)) throw new NotHttpError('a header line has no name, or a name with characters that are not allowed in it');
  const value = withoutSpace(line, colon + 1);
  lines.push(name, value);
  switch (name.length) {
    case 10:
      readConnection(framing, name.toLowerCase(), value);
      break;
    case 14:
      if (name.toLowerCase() === 'content-length') readLength(framing, unambiguous(line, value));
      break;
    case 17:
      if (name.toLowerCase() === 'transfer-encoding') readCoding(framing, unambiguous(line, value));
  }
}

/** A trailer line. @throws NotHttpError for what no line may be. */
export function checkTrailer(line: string): void {
  const name = line.slice(0, Math.max(0, line.indexOf(':')));
  if (illegal.test(line) || !fieldName.test(name)) throw new NotHttpError('a trailer is no header line');
}

/** TRICKY: `trim` takes characters away that are bytes of a text here, 0xA0 among them. */
function withoutSpace(line: string, from: number): string {
  let [start, end] = [from, line.length];
  while (start < end && isSpace(line.charCodeAt(start))) start += 1;
  while (end > start && isSpace(line.charCodeAt(end - 1))) end -= 1;
  return line.slice(start, end);
}

/** TRICKY: with a tab behind it Node's parser takes `chunked` for another coding, and a length for none. Such a line's value is none here. */
function unambiguous(line: string, value: string): string {
  return /\t[\t ]*$/.test(line) ? line : value;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9;
}

function readConnection(framing: Framing, name: string, value: string): void {
  if (name === 'keep-alive') {
    const seconds = /(?:^|[,; ])timeout=(\d{1,9})/i.exec(value)?.[1];
    if (seconds !== undefined) framing.keptForMs = Number(seconds) * 1000;
  }
  if (name !== 'connection') return;
  for (const option of value.toLowerCase().split(',')) {
    const asked = withoutSpace(option, 0);
    if (asked === 'close') framing.closes = true;
    if (asked === 'keep-alive') framing.keeps = true;
  }
}

function readLength(framing: Framing, value: string): void {
  if (framing.contentLength !== undefined) throw new NotHttpError('it has more than one Content-Length');
  if (!wholeNumber.test(value)) throw new NotHttpError('its Content-Length is not a whole number');
  framing.contentLength = Number(value);
}

/** TRICKY: a coding beside `chunked` would stay in the body, whose reader is told of none. We offer none, so there is none to be undone. */
function readCoding(framing: Framing, value: string): void {
  if (framing.isChunked || value.toLowerCase() !== 'chunked') throw new NotHttpError('it has a Transfer-Encoding other than chunked');
  framing.isChunked = true;
}

/** RFC 9112 §6.3. */
function lengthOf(status: number, toHead: boolean, { contentLength, isChunked }: Framing): ReplyLength {
  if (contentLength !== undefined && isChunked) throw new NotHttpError('it has both a Content-Length and a Transfer-Encoding');
  if (toHead || status < 200 || status === 204 || status === 304) return none;
  if (isChunked) return { kind: 'chunked' };
  return contentLength === undefined ? { kind: 'to close' } : { kind: 'bytes', bytes: contentLength };
}

const none: ReplyLength = { kind: 'none' };
