import { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { type RequestHeaders, readHeaders } from './lazy-headers.ts';

/** Takes a body's chunks as they come; `null` is its end, or that the client has left. */
export type ChunkHandler = (chunk: Buffer | null) => void;

/**
 * A request whose body can be had without a stream. Node's parser pushes each chunk as it finds it, and whoever asked for them gets them at once;
 * the body of most calls is one chunk, which then costs none of a stream's turns of the tick queue, its states and events.
 */
export class IncomingRequest extends IncomingMessage {
  /** Lines under names that are not asked for are not in it, see `rawHeaders`. */
  declare headers: RequestHeaders;
  /** Among whose calls in flight it counts, once that is known. */
  caller: { count: number } | undefined;
  private asked: RequestHeaders | undefined;
  private taker: ChunkHandler | undefined;
  /** Chunks go to `take` and not into the stream. */
  private passesStream = false;
  private wasTaken = false;
  private isHeldBack = false;

  static {
    const ended = Object.getOwnPropertyDescriptor(Readable.prototype, 'readableEnded');
    // TRICKY: Node keeps a request that has not ended for as long as its connection, with all its lines.
    Object.defineProperty(this.prototype, 'readableEnded', {
      get(this: IncomingRequest): boolean {
        return this.wasTaken || ended?.get?.call(this) === true;
      },
    });
    // TRICKY: Node's server asks each request for `expect`, for which Node would read all its lines.
    Object.defineProperty(this.prototype, 'headers', {
      get(this: IncomingRequest): RequestHeaders {
        return (this.asked ??= readHeaders(this.rawHeaders));
      },
    });
  }

  /** Gives every chunk to `take` until {@link switchToStream}. `take` is called from within Node's parser and must not throw. */
  readChunks(take: ChunkHandler): void {
    this.taker = take;
    this.passesStream = !this.complete && this.readableLength === 0 && this.readableFlowing === null;
    if (this.passesStream) return;
    // Something came before anybody asked, so that it is in the stream.
    this.on('data', (chunk: Buffer) => this.taker?.(chunk));
    this.once('end', () => this.finish());
  }

  /** What is still to come is the stream's, which is paused. */
  switchToStream(): void {
    this.taker = undefined;
    this.passesStream = false;
    this.isHeldBack = false;
    this.pause();
    this.removeAllListeners('data');
    this.removeAllListeners('end');
  }

  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (!this.passesStream) return super.push(chunk, encoding);
    if (chunk === null) this.finish();
    else this.taker?.(chunk);
    return !this.isHeldBack;
  }

  /** No more is read of it until {@link goOn}, but what was read of its connection already. */
  holdBack(): void {
    this.isHeldBack = true;
    if (!this.passesStream) this.pause();
  }

  goOn(): void {
    this.isHeldBack = false;
    if (this.passesStream) this._read(0);
    else this.resume();
  }

  /** TRICKY: Node resumes a request that nobody read once it is answered; of one that was taken whole there is nothing to come. */
  override resume(): this {
    return this.wasTaken ? this : super.resume();
  }

  override destroy(error?: Error): this {
    super.destroy(error);
    // No sooner than a stream would say it: whoever hears it looks whether the connection is there.
    if (this.taker !== undefined) process.nextTick(() => this.finish());
    return this;
  }

  private finish(): void {
    const { taker } = this;
    this.taker = undefined;
    this.wasTaken = true;
    taker?.(null);
  }
}
