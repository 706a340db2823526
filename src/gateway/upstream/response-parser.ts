import { checkTrailer, InvalidResponseError, readResponseLines, type ResponseHead } from './response-head.ts';

/** Receives the parts of a response from within {@link ResponseParser.read}. */
export interface ResponseHandler {
  /** Also called for interim heads (1xx), before the final one. */
  readonly onHead: (head: ResponseHead) => void;
  /** The bytes are valid only until this returns. */
  readonly onBody: (bytes: Buffer) => void;
}

type State = 'head' | 'length' | 'to close' | 'chunk size' | 'chunk' | 'chunk end' | 'trailer' | 'complete' | 'stopped';

const [lf, cr] = [10, 13];
/** RFC 9112 §7.1.1, without white space and escapes, which nobody sends. */
const extension = /^(?:;[!#$%&'*+\-.^_`|~\dA-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~\dA-Za-z]+|"[ !#-[\]-~]*"))?)+$/;
/** Nobody reads extensions. Node has the same limit. */
const extensionMaxBytes = 16 * 1024;
/** A provider that says every second that it is still at work sends as many in four minutes. Each takes as long as a head. */
const maxInterimHeads = 256;
const responseStart = Buffer.from('HTTP/1.');
/** A number holds 13 hexadecimal digits exactly, not more. */
const maxSizeDigits = 13;
/** Initial buffer for an incomplete line or head. */
const minBufferBytes = 1024;
const empty = Buffer.alloc(0);

/** Parses the responses of one connection (RFC 9112). At least as strict as Node's own parser: an ambiguous response is rejected. */
export class ResponseParser {
  /** Whether the connection may be reused. Known once the response is complete. */
  keepsConnection = false;
  /** How long the provider keeps an idle connection, milliseconds, if it says so. */
  keepAliveMs: number | undefined;
  private readonly handler: ResponseHandler;
  private readonly headerMaxBytes: number;
  private state: State = 'complete';
  private isHeadResponse = false;
  private remaining = 0;
  private trailerBytes = 0;
  /** Before the final head. */
  private interimHeads = 0;
  private interimBytes = 0;
  /** Start of an incomplete line or head. */
  private buffered = empty;
  private bufferedBytes = 0;

  constructor(handler: ResponseHandler, headerMaxBytes: number) {
    this.handler = handler;
    this.headerMaxBytes = headerMaxBytes;
  }

  /** Prepares for the response to a request. @param method of the request: a response to HEAD has no body. */
  begin(method: string): void {
    this.state = 'head';
    this.isHeadResponse = method === 'HEAD';
    this.interimHeads = 0;
    this.interimBytes = 0;
    this.keepsConnection = false;
    this.keepAliveMs = undefined;
    this.bufferedBytes = 0;
  }

  /** Ignores everything that follows. */
  stop(): void {
    this.state = 'stopped';
  }

  isComplete(): boolean {
    return this.state === 'complete';
  }

  /** @param bytes are not retained. @throws InvalidResponseError, HeadersTooLargeError. */
  read(bytes: Buffer): void {
    const input = this.bufferedBytes === 0 ? bytes : this.append(bytes);
    let at = 0;
    while (at < input.length) {
      const next = this.step(input, at);
      if (next === undefined) break;
      at = next;
    }
    this.bufferRest(input, at);
  }

  /** The provider has closed the connection. @returns whether the response is complete. */
  end(): boolean {
    if (this.state === 'to close') this.state = 'complete';
    return this.state === 'complete';
  }

  /** @returns the next position; undefined: more bytes are needed. */
  private step(input: Buffer, at: number): number | undefined {
    switch (this.state) {
      case 'head':
        return this.head(input, at);
      case 'length':
      case 'chunk':
        return this.readCounted(input, at);
      case 'to close':
        this.handler.onBody(at === 0 ? input : input.subarray(at));
        return input.length;
      case 'chunk size':
        return this.chunkSize(input, at);
      case 'chunk end':
        return this.chunkEnd(input, at);
      case 'trailer':
        return this.trailer(input, at);
      case 'complete':
        // Unrequested bytes would be taken for the next response.
        this.keepsConnection = false;
        return input.length;
      case 'stopped':
        return input.length;
    }
  }

  private head(input: Buffer, at: number): number | undefined {
    const end = input.indexOf('\r\n\r\n', Math.max(at, this.bufferedBytes - 3), 'latin1');
    if ((end === -1 ? input.length : end) - at > this.headerMaxBytes) throw new HeadersTooLargeError();
    if (end === -1) {
      refuseEarly(input, at, this.bufferedBytes);
      return undefined;
    }
    const head = readResponseLines(input.toString('latin1', at, end), this.isHeadResponse);
    this.bufferedBytes = 0;
    if (head.status >= 200) this.startBody(head);
    else this.countInterim(end - at);
    this.handler.onHead(head);
    return end + 4;
  }

  /** Interim heads together may be as long as one head. */
  private countInterim(bytes: number): void {
    this.interimHeads += 1;
    this.interimBytes += bytes;
    if (this.interimBytes > this.headerMaxBytes) throw new HeadersTooLargeError();
    if (this.interimHeads > maxInterimHeads) throw new InvalidResponseError(`more than ${maxInterimHeads} interim heads precede its head`);
  }

  private startBody({ length, keepsConnection, keepAliveMs }: ResponseHead): void {
    this.keepsConnection = keepsConnection;
    this.keepAliveMs = keepAliveMs;
    switch (length.kind) {
      case 'none':
        this.state = 'complete';
        break;
      case 'bytes':
        this.remaining = length.bytes;
        this.state = length.bytes === 0 ? 'complete' : 'length';
        break;
      case 'chunked':
        this.trailerBytes = 0;
        this.state = 'chunk size';
        break;
      case 'to close':
        this.state = 'to close';
    }
  }

  private readCounted(input: Buffer, at: number): number {
    const bytes = Math.min(this.remaining, input.length - at);
    this.remaining -= bytes;
    if (this.remaining === 0) this.state = this.state === 'chunk' ? 'chunk end' : 'complete';
    this.handler.onBody(input.subarray(at, at + bytes));
    return at + bytes;
  }

  private chunkSize(input: Buffer, at: number): number | undefined {
    const end = this.lineEnd(input, at);
    if (end === undefined) return undefined;
    let size = 0;
    let index = at;
    for (; index < end; index += 1) {
      const digit = hexDigit(input[index] ?? 0);
      if (digit === -1) break;
      size = size * 16 + digit;
    }
    const digits = index - at;
    if (end - index > extensionMaxBytes) throw new InvalidResponseError('the extension of a chunk is over 16 KiB');
    if (digits === 0 || digits > maxSizeDigits || (index < end && !extension.test(input.toString('latin1', index, end)))) {
      throw new InvalidResponseError('the size of a chunk is not a hexadecimal number');
    }
    this.remaining = size;
    this.state = size === 0 ? 'trailer' : 'chunk';
    return end + 2;
  }

  private chunkEnd(input: Buffer, at: number): number | undefined {
    if (input[at] !== cr || (at + 1 < input.length && input[at + 1] !== lf)) {
      throw new InvalidResponseError('a chunk is longer than it says');
    }
    if (at + 1 === input.length) return undefined;
    this.state = 'chunk size';
    return at + 2;
  }

  /** Trailers are checked and dropped. */
  private trailer(input: Buffer, at: number): number | undefined {
    const end = this.lineEnd(input, at);
    if (end === undefined) return undefined;
    this.trailerBytes += end - at;
    if (this.trailerBytes > this.headerMaxBytes) throw new HeadersTooLargeError();
    if (end === at) this.state = 'complete';
    else checkTrailer(input.toString('latin1', at, end));
    return end + 2;
  }

  /** End of the line that begins here; undefined while it is incomplete. */
  private lineEnd(input: Buffer, at: number): number | undefined {
    const end = input.indexOf(lf, Math.max(at, this.bufferedBytes - 1));
    if ((end === -1 ? input.length : end) - at > this.headerMaxBytes) throw new HeadersTooLargeError();
    if (end === -1) return undefined;
    this.bufferedBytes = 0;
    const isClean = end > at && input[end - 1] === cr && input.indexOf(cr, at) === end - 1;
    if (!isClean) throw new InvalidResponseError('a line does not end with CR and LF');
    return end - 1;
  }

  /** Appends to the kept bytes. */
  private append(bytes: Buffer): Buffer {
    const needed = this.bufferedBytes + bytes.length;
    if (this.buffered.length < needed) {
      const larger = Buffer.allocUnsafeSlow(Math.max(minBufferBytes, 2 * needed));
      this.buffered.copy(larger, 0, 0, this.bufferedBytes);
      this.buffered = larger;
    }
    bytes.copy(this.buffered, this.bufferedBytes);
    return this.buffered.subarray(0, needed);
  }

  private bufferRest(input: Buffer, at: number): void {
    const left = input.length - at;
    if (left === 0) {
      this.buffered = empty;
      this.bufferedBytes = 0;
      return;
    }
    if (at === 0 && this.bufferedBytes > 0 && input.buffer === this.buffered.buffer) {
      // The kept buffer already holds the bytes.
      this.bufferedBytes = left;
      return;
    }
    const rest = Buffer.allocUnsafeSlow(Math.max(minBufferBytes, left));
    input.copy(rest, 0, at);
    this.buffered = rest;
    this.bufferedBytes = left;
  }
}

export class HeadersTooLargeError extends Error {
  constructor() {
    super('the head of the reply is over the limit');
    this.name = 'HeadersTooLargeError';
  }
}

/** Rejects an incomplete head that can never become a response. @param checkedBytes were checked before. */
function refuseEarly(input: Buffer, at: number, checkedBytes: number): void {
  const length = Math.min(responseStart.length, input.length - at);
  if (responseStart.compare(input, at, at + length, 0, length) !== 0) throw new InvalidResponseError('it does not begin with HTTP/1');
  for (let index = input.indexOf(lf, at + checkedBytes); index !== -1; index = input.indexOf(lf, index + 1)) {
    if (index === at || input[index - 1] !== cr) throw new InvalidResponseError('a line does not end with CR and LF');
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
