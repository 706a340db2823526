import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type RequestHeaders, readHeaders } from './lazy-headers.ts';

/** `null` is the end of the body, or that the client disconnected. */
export type ChunkHandler = (chunk: Buffer | null) => void;

/**
 * A request whose body can be read without a stream. Node's parser pushes each chunk, and the chunk handler gets it at once. Most bodies
 * are one chunk, which then costs no stream states, events or ticks.
 */
export class IncomingRequest extends IncomingMessage {
  /** Only the names that are read somewhere; for all others see `rawHeaders`. */
  declare headers: RequestHeaders;
  /** The calls in flight of its organisation, once that is known. */
  organizationCalls: { count: number } | undefined;
  private parsedHeaders: RequestHeaders | undefined;
  private handler: ChunkHandler | undefined;
  /** Chunks bypass the stream. */
  private bypassesStream = false;
  private wasRead = false;
  private isReadingPaused = false;

  static {
    const ended = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded');
    // TRICKY: Node keeps a request whose stream has not ended, with all its headers, as long as the connection.
    Object.defineProperty(this.prototype, 'readableEnded', {
      get(this: IncomingRequest): boolean {
        return this.wasRead || ended?.get?.call(this) === true;
      },
    });
    // TRICKY: Node's server reads `expect` of each request, for which Node would parse all headers.
    Object.defineProperty(this.prototype, 'headers', {
      get(this: IncomingRequest): RequestHeaders {
        return (this.parsedHeaders ??= readHeaders(this.rawHeaders));
      },
    });
  }

  /** Passes every chunk to `handle` until {@link switchToStream}. `handle` runs inside Node's parser and must not throw. */
  readChunks(handle: ChunkHandler): void {
    this.handler = handle;
    this.bypassesStream = !this.complete && this.readableLength === 0 && this.readableFlowing === null;
    if (this.bypassesStream) return;
    // Some chunks are in the stream already.
    this.on('data', (chunk: Buffer) => this.handler?.(chunk));
    this.once('end', () => this.finish());
  }

  /** The rest of the body goes through the stream, which is paused. */
  switchToStream(): void {
    this.handler = undefined;
    this.bypassesStream = false;
    this.isReadingPaused = false;
    this.pause();
    this.removeAllListeners('data');
    this.removeAllListeners('end');
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (!this.bypassesStream) return super.push(chunk, encoding);
    if (chunk === null) this.finish();
    else this.handler?.(chunk);
    return !this.isReadingPaused;
  }

  /** Reads no more until {@link resumeReading}, except bytes that were already read from the connection. */
  pauseReading(): void {
    this.isReadingPaused = true;
    if (!this.bypassesStream) this.pause();
  }

  resumeReading(): void {
    this.isReadingPaused = false;
    if (this.bypassesStream) this._read(0);
    else this.resume();
  }

  /** TRICKY: Node resumes an unread request after its response; one that was read in chunks has nothing left. */
  override resume(): this {
    return this.wasRead ? this : super.resume();
  }

  override destroy(error?: Error): this {
    super.destroy(error);
    // As late as a stream would report it, because handlers then check whether the connection is open.
    if (this.handler !== undefined) process.nextTick(() => this.finish());
    return this;
  }

  private finish(): void {
    const { handler } = this;
    this.handler = undefined;
    this.wasRead = true;
    handler?.(null);
  }
}
