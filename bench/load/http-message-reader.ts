/** Receives the parts of one connection's messages, in wire order. */
export interface MessageListener {
  /** Start line and header lines, as Latin-1 text without the blank line. */
  onHead(head: string): void;
  /** A part of the body, without chunk framing. The bytes are a view that is valid only during the call. */
  onBody(bytes: Buffer): void;
  onEnd(): void;
}

/** The body of a message with neither `content-length` nor chunks: a request has none, a response lasts until the connection closes. */
export type UnframedBody = 'empty' | 'until-close';

type State = 'head' | 'sized' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailer' | 'until-close';

const maximumHeadBytes = 64 * 1024;
const blankLine = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const lengthPattern = /\r\ncontent-length:[ \t]*(\d+)/i;
const chunkedPattern = /\r\ntransfer-encoding:[^\r]*chunked/i;
const needMore = -1;

/** Reads the HTTP/1.1 messages of one connection, however the network splits them. Throws on bytes that are not HTTP. */
export class HttpMessageReader {
  private readonly listener: MessageListener;
  private readonly unframedBody: UnframedBody;
  private state: State = 'head';
  private pending: Buffer | null = null;
  private remainingBytes = 0;

  constructor(listener: MessageListener, unframedBody: UnframedBody) {
    this.listener = listener;
    this.unframedBody = unframedBody;
  }

  push(chunk: Buffer): void {
    const bytes = this.pending === null ? chunk : Buffer.concat([this.pending, chunk]);
    this.pending = null;
    let offset = 0;
    while (offset < bytes.length) {
      const next = this.step(bytes, offset);
      if (next === needMore) {
        this.pending = bytes.subarray(offset);
        if (this.pending.length > maximumHeadBytes) throw new Error('The head of an HTTP message is too long.');
        return;
      }
      offset = next;
    }
  }

  /** Handles the close of the connection. @returns whether the close ended a message or came between two. */
  close(): boolean {
    if (this.state === 'until-close') {
      this.end();
      return true;
    }
    return this.state === 'head' && this.pending === null;
  }

  private step(bytes: Buffer, offset: number): number {
    switch (this.state) {
      case 'head':
        return this.readHead(bytes, offset);
      case 'sized':
      case 'chunk-data':
        return this.readBody(bytes, offset);
      case 'chunk-size':
        return this.readChunkSize(bytes, offset);
      case 'chunk-end':
        return this.readChunkEnd(bytes, offset);
      case 'trailer':
        return this.readTrailer(bytes, offset);
      case 'until-close':
        this.listener.onBody(offset === 0 ? bytes : bytes.subarray(offset));
        return bytes.length;
    }
  }

  private readHead(bytes: Buffer, offset: number): number {
    const headEnd = bytes.indexOf(blankLine, offset);
    if (headEnd === -1) return needMore;
    const head = bytes.toString('latin1', offset, headEnd);
    this.listener.onHead(head);
    this.startBody(head);
    return headEnd + blankLine.length;
  }

  private startBody(head: string): void {
    const length = lengthPattern.exec(head)?.[1];
    if (length !== undefined) {
      this.remainingBytes = Number(length);
      this.state = 'sized';
      if (this.remainingBytes === 0) this.end();
    } else if (chunkedPattern.test(head)) {
      this.state = 'chunk-size';
    } else if (this.unframedBody === 'until-close') {
      this.state = 'until-close';
    } else {
      this.end();
    }
  }

  private readBody(bytes: Buffer, offset: number): number {
    const end = Math.min(bytes.length, offset + this.remainingBytes);
    this.remainingBytes -= end - offset;
    this.listener.onBody(bytes.subarray(offset, end));
    if (this.remainingBytes > 0) return end;
    if (this.state === 'sized') this.end();
    else this.state = 'chunk-end';
    return end;
  }

  private readChunkSize(bytes: Buffer, offset: number): number {
    const end = bytes.indexOf(lineEnd, offset);
    if (end === -1) return needMore;
    const size = Number.parseInt(bytes.toString('latin1', offset, end), 16);
    if (Number.isNaN(size)) throw new Error('The size of an HTTP chunk is not a number.');
    this.remainingBytes = size;
    this.state = size === 0 ? 'trailer' : 'chunk-data';
    return end + lineEnd.length;
  }

  private readChunkEnd(bytes: Buffer, offset: number): number {
    if (bytes.length - offset < lineEnd.length) return needMore;
    this.state = 'chunk-size';
    return offset + lineEnd.length;
  }

  private readTrailer(bytes: Buffer, offset: number): number {
    const end = bytes.indexOf(lineEnd, offset);
    if (end === -1) return needMore;
    if (end === offset) this.end();
    return end + lineEnd.length;
  }

  private end(): void {
    this.state = 'head';
    this.listener.onEnd();
  }
}
