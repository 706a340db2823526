import { frameHeaderBytes, type FrameLabel, writeFrameHead } from './frame.ts';

/** Told once everything that the stream appended before has been written (`true`), or that some of it could not be (`false`). */
export type WriteCallback = (written: boolean) => void;

/** What a frame holds: text is written as UTF-8, also in front of bytes. */
export type Payload = string | Uint8Array | { readonly text: string; readonly bytes: Uint8Array };

const slabBytes = 1024 * 1024;
/** The kernel takes at most 1,024 buffers in one `writev`; a frame needs two and the end of the slab one. */
const maxBuffers = 1000;
/** A group is written into one segment and in one go, so it stays small beside both. */
const fullBytes = 8 * 1024 * 1024;

/** What is written by one system call. Frames gather in the next group while the last one is being written. */
export class WriteBatch {
  bytes = 0;
  private readonly slab = Buffer.allocUnsafeSlow(slabBytes);
  private used = 0;
  /** Start of the part of the slab that is not yet in `buffers`. */
  private open = 0;
  private buffers: Uint8Array[] = [];
  /** Of each frame its stream, and the bytes of the group up to its end. */
  private readonly streams: number[] = [];
  private readonly ends: number[] = [];
  private waiting: WriteCallback[] = [];
  /** Of each who waits the stream, and the bytes of the group when it came. */
  private readonly waitingFor: number[] = [];
  private readonly waitingAt: number[] = [];

  isEmpty(): boolean {
    return this.bytes === 0 && this.waiting.length === 0;
  }

  /** True when a frame with this many bytes to copy still fits. */
  fits(copiedBytes: number): boolean {
    return this.used + copiedBytes <= slabBytes && this.buffers.length < maxBuffers && this.bytes < fullBytes;
  }

  /** Copies a frame. @returns its bytes. */
  addCopied(label: FrameLabel, payload: Payload): number {
    const start = this.used + frameHeaderBytes;
    const length = this.copy(payload, start);
    writeFrameHead(this.slab, this.used, label, this.slab.subarray(start, start + length));
    this.used = start + length;
    return this.grow(label.stream, length);
  }

  /** Takes a frame whose payload stays where it is. @returns its bytes. */
  addReferenced(label: FrameLabel, payload: Uint8Array): number {
    writeFrameHead(this.slab, this.used, label, payload);
    this.used += frameHeaderBytes;
    this.closeSlabPart();
    this.buffers.push(payload);
    return this.grow(label.stream, payload.length);
  }

  wait(stream: number, settled: WriteCallback): void {
    this.waitingFor.push(stream);
    this.waitingAt.push(this.bytes);
    this.waiting.push(settled);
  }

  /**
   * Only so many bytes of the group were written: who waits here for a frame behind them will be told so.
   * @returns the streams of which a frame is lost.
   */
  lose(writtenBytes: number): ReadonlySet<number> {
    /** Of each stream the end of the first frame that is lost. */
    const lost = new Map<number, number>();
    this.streams.forEach((stream, index) => {
      const end = this.ends[index] ?? 0;
      if (end > writtenBytes && !lost.has(stream)) lost.set(stream, end);
    });
    this.waiting = this.waiting.map((settled, index) => {
      const end = lost.get(this.waitingFor[index] ?? 0);
      return end !== undefined && end <= (this.waitingAt[index] ?? 0) ? asLost(settled) : settled;
    });
    return new Set(lost.keys());
  }

  /** Frames of these streams are lost in an earlier group: who waits here for one of them will be told, whatever becomes of this group. */
  failStreams(streams: ReadonlySet<number>): void {
    this.waiting = this.waiting.map((settled, index) => (streams.has(this.waitingFor[index] ?? 0) ? asLost(settled) : settled));
  }

  /** All buffers of the group in order. */
  take(): Uint8Array[] {
    this.closeSlabPart();
    return this.buffers;
  }

  /** Empties the group for its next use. @returns who waits, in the order in which they came. */
  reset(): WriteCallback[] {
    const { waiting } = this;
    this.used = 0;
    this.open = 0;
    this.bytes = 0;
    this.buffers = [];
    this.streams.length = 0;
    this.ends.length = 0;
    this.waiting = [];
    this.waitingFor.length = 0;
    this.waitingAt.length = 0;
    return waiting;
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
    if (this.used > this.open) this.buffers.push(this.slab.subarray(this.open, this.used));
    this.open = this.used;
  }
}

/** @returns one that tells of a loss, whatever it is called with. */
export function asLost(settled: WriteCallback): WriteCallback {
  return () => settled(false);
}
