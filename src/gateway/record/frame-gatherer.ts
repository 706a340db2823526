import type { CallSpool } from '../../spool/busy-series.ts';
import type { WriteCallback } from '../../spool/write-batch.ts';
import type { RecordedBody } from './recorded-body.ts';

/**
 * The minimum size of a frame grows by one byte for this many frames, so a body of n bytes, however fragmented, becomes fewer than 12·√n
 * frames. The ingest keeps each frame's location in memory, which takes more than a byte.
 */
const framesPerByte = 64;
/** Where every chunk must be written before it is delivered, each becomes a frame. Parts beyond this number are not recorded. */
const maxFrames = 200_000;

interface PendingFrame {
  readonly body: RecordedBody;
  readonly stamp: number;
  readonly chunks: Uint8Array[];
  bytes: number;
}

interface GathererOptions {
  readonly writer: CallSpool;
  readonly hasSpaceForParts: () => boolean;
}

/** Gathers the chunks of an exchange's bodies into frames. */
export class FrameGatherer {
  private readonly options: GathererOptions;
  private readonly stream: number;
  private readonly onWritten: WriteCallback;
  private frames = 0;
  private isFull = false;
  private pending: PendingFrame | undefined;

  constructor(options: GathererOptions, stream: number, onWritten: WriteCallback) {
    this.options = options;
    this.stream = stream;
    this.onWritten = onWritten;
  }

  /** @param stamp milliseconds since the exchange began. */
  add(body: RecordedBody, chunk: Uint8Array, stamp: number): void {
    if (this.pending === undefined && this.isLongEnough(chunk.length)) {
      this.append(body, chunk, stamp);
      return;
    }
    if (this.pending?.body !== body) this.flush();
    this.pending ??= { body, stamp, chunks: [], bytes: 0 };
    this.pending.chunks.push(chunk);
    this.pending.bytes += chunk.length;
    if (this.isLongEnough(this.pending.bytes)) this.flush();
  }

  flush(): void {
    const { pending } = this;
    if (pending === undefined) return;
    this.pending = undefined;
    this.append(pending.body, Buffer.concat(pending.chunks), pending.stamp);
  }

  drop(): void {
    this.pending = undefined;
  }

  private isLongEnough(bytes: number): boolean {
    return bytes * framesPerByte >= this.frames;
  }

  private append(body: RecordedBody, bytes: Uint8Array, stamp: number): void {
    const { writer, hasSpaceForParts } = this.options;
    this.isFull ||= this.frames >= maxFrames || !hasSpaceForParts();
    if (this.isFull) {
      body.isCut = true;
      return;
    }
    this.frames += 1;
    writer.append(this.stream, body.frameKind, bytes, stamp);
    writer.whenWritten(this.stream, this.onWritten);
  }
}
