import { frameHeaderBytes, type FrameLabel, writeFrameHeader } from './frame.ts';

/** `true`: everything that the stream appended before is written; `false`: part of it could not be. */
export type WriteCallback = (written: boolean) => void;

/** The content of a frame. Text is written as UTF-8, before bytes. */
export type Payload = string | Uint8Array | { readonly text: string; readonly bytes: Uint8Array };

const slabBytes = 1024 * 1024;
/** The kernel takes at most 1,024 buffers in one `writev`; a frame needs two, the end of the slab one. */
const maxBuffers = 1000;
/** Bounds the size of a batch, which is one write into one segment. */
const fullBytes = 8 * 1024 * 1024;

/** The frames of one system call. Frames gather in the next batch while the last one is being written. */
export class WriteBatch {
  bytes = 0;
  private readonly slab = Buffer.allocUnsafeSlow(slabBytes);
  private used = 0;
  /** Start of the part of the slab that is not yet in `buffers`. */
  private openFrom = 0;
  private buffers: Uint8Array[] = [];
  /** The stream of each frame, and the bytes of the batch up to its end. */
  private readonly streams: number[] = [];
  private readonly ends: number[] = [];
  private callbacks: WriteCallback[] = [];
  /** The stream of each callback, and the bytes of the batch when it was added. */
  private readonly callbackStreams: number[] = [];
  private readonly callbackOffsets: number[] = [];

  isEmpty(): boolean {
    return this.bytes === 0 && this.callbacks.length === 0;
  }

  fits(copiedBytes: number): boolean {
    return this.used + copiedBytes <= slabBytes && this.buffers.length < maxBuffers && this.bytes < fullBytes;
  }

  /** Copies a frame. @returns its size in bytes. */
  addCopied(label: FrameLabel, payload: Payload): number {
    const start = this.used + frameHeaderBytes;
    const length = this.copy(payload, start);
    writeFrameHeader(this.slab, this.used, label, this.slab.subarray(start, start + length));
    this.used = start + length;
    return this.grow(label.stream, length);
  }

  /** Adds a frame without copying its payload. @returns its size in bytes. */
  addReferenced(label: FrameLabel, payload: Uint8Array): number {
    writeFrameHeader(this.slab, this.used, label, payload);
    this.used += frameHeaderBytes;
    this.closeSlabPart();
    this.buffers.push(payload);
    return this.grow(label.stream, payload.length);
  }

  addCallback(stream: number, callback: WriteCallback): void {
    this.callbackStreams.push(stream);
    this.callbackOffsets.push(this.bytes);
    this.callbacks.push(callback);
  }

  /**
   * Fails the callbacks that wait for a frame beyond `writtenBytes`.
   * @returns the streams of which a frame is lost.
   */
  failFrom(writtenBytes: number): ReadonlySet<number> {
    /** By stream, the end of its first lost frame. */
    const lost = new Map<number, number>();
    this.streams.forEach((stream, index) => {
      const end = this.ends[index] ?? 0;
      if (end > writtenBytes && !lost.has(stream)) lost.set(stream, end);
    });
    this.callbacks = this.callbacks.map((callback, index) => {
      const end = lost.get(this.callbackStreams[index] ?? 0);
      return end !== undefined && end <= (this.callbackOffsets[index] ?? 0) ? asLost(callback) : callback;
    });
    return new Set(lost.keys());
  }

  /** Fails the callbacks of streams that lost a frame in an earlier batch. */
  failStreams(streams: ReadonlySet<number>): void {
    this.callbacks = this.callbacks.map((callback, index) => (streams.has(this.callbackStreams[index] ?? 0) ? asLost(callback) : callback));
  }

  take(): Uint8Array[] {
    this.closeSlabPart();
    return this.buffers;
  }

  /** Empties the batch for reuse. @returns its callbacks, in their order. */
  reset(): WriteCallback[] {
    const { callbacks } = this;
    this.used = 0;
    this.openFrom = 0;
    this.bytes = 0;
    this.buffers = [];
    this.streams.length = 0;
    this.ends.length = 0;
    this.callbacks = [];
    this.callbackStreams.length = 0;
    this.callbackOffsets.length = 0;
    return callbacks;
  }

  private copy(payload: Payload, start: number): number {
    if (typeof payload === 'string') return this.slab.write(payload, start, 'utf8');
    const [text, bytes] = 'text' in payload ? [payload.text, payload.bytes] : ['', payload];
    const textBytes = text === '' ? 0 : this.slab.write(text, start, 'utf8');
    this.slab.set(bytes, start + textBytes);
    return textBytes + bytes.length;
  }

  private grow(stream: number, payloadBytes: number): number {
    this.bytes += frameHeaderBytes + payloadBytes;
    this.streams.push(stream);
    this.ends.push(this.bytes);
    return frameHeaderBytes + payloadBytes;
  }

  private closeSlabPart(): void {
    if (this.used > this.openFrom) this.buffers.push(this.slab.subarray(this.openFrom, this.used));
    this.openFrom = this.used;
  }
}

export function asLost(callback: WriteCallback): WriteCallback {
  return () => callback(false);
}

/** TRICKY: a UTF-16 unit becomes at most three bytes of UTF-8; only a text near the limit is worth measuring. */
export function maxBytesOf(payload: Payload): number {
  if (typeof payload === 'string') return payload.length * 3;
  return 'text' in payload ? payload.text.length * 3 + payload.bytes.length : payload.length;
}

/** The bytes of a payload, text as UTF-8. */
export function bytesOf(payload: Payload): Uint8Array {
  if (typeof payload === 'string') return Buffer.from(payload);
  return 'text' in payload ? Buffer.concat([Buffer.from(payload.text), payload.bytes]) : payload;
}
