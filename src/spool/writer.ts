import { closeSync, fdatasync, mkdirSync, openSync, write, writev, writeSync } from 'node:fs';
import path from 'node:path';
import { syncFolder } from '../platform/files.ts';
import { type ProcessLock, takeLock } from '../platform/process-lock.ts';
import { frameHeaderBytes, largestPayloadBytes, makeSegmentHeader, sealFrame, segmentHeaderBytes, writeFrameHead } from './frame.ts';
import { segmentName } from './spool.ts';

/** Told once everything appended before has been written (`true`), or that some of it could not be (`false`). */
export type Settled = (written: boolean) => void;

export interface SpoolWriter {
  readonly series: string;
  /** A number for a new stream of frames. */
  readonly newStream: () => number;
  /**
   * Queues a frame. Text is written as UTF-8; bytes must not be changed until they are written. Payloads over the frame limit are split into
   * several frames of the same kind.
   */
  readonly append: (stream: number, kind: number, payload: string | Uint8Array, stamp?: number) => void;
  /** Calls back when all that was appended so far is written: in the page cache, with `always` on the disk. */
  readonly whenWritten: (settled: Settled) => void;
  /** Bytes written or queued since the start. */
  readonly bytes: () => number;
  /** Writes what is queued, syncs, closes and gives the lock back. */
  readonly close: () => Promise<void>;
}

export interface SpoolWriterOptions {
  readonly folder: string;
  readonly series: string;
  readonly segmentMaxBytes: number;
  readonly segmentMaxMs: number;
  /** `always`: every group waits for the disk. `interval`: the disk follows within `syncIntervalMs`. */
  readonly sync: 'always' | 'interval';
  readonly syncIntervalMs: number;
  /** Told when frames could not be written or synced. */
  readonly onFailure: (error: Error) => void;
  readonly monotonic: () => number;
}

/** Frames up to this size are copied into the group's buffer, so that a group of small ones is a single write. */
const copyLimitBytes = 16 * 1024;
const slabBytes = 1024 * 1024;
/** The kernel takes at most 1,024 buffers in one `writev`. */
const mostBuffers = 1000;

/** One group: what is written by one system call. Frames gather in the next group while the last one is being written. */
class Group {
  readonly slab = Buffer.allocUnsafeSlow(slabBytes);
  used = 0;
  /** Start of the part of the slab that is not yet in `buffers`. */
  open = 0;
  buffers: Uint8Array[] = [];
  bytes = 0;
  waiting: Settled[] = [];

  reset(): void {
    this.used = 0;
    this.open = 0;
    this.buffers = [];
    this.bytes = 0;
    this.waiting = [];
  }

  /** True when a frame with this many bytes to copy still fits. */
  hasRoom(copiedBytes: number): boolean {
    return this.used + copiedBytes <= slabBytes && this.buffers.length < mostBuffers;
  }

  addCopied(stream: number, kind: number, payload: string | Uint8Array, stamp: number): void {
    const { slab, used } = this;
    const start = used + frameHeaderBytes;
    let length: number;
    if (typeof payload === 'string') {
      length = slab.write(payload, start, 'utf8');
    } else {
      slab.set(payload, start);
      length = payload.length;
    }
    writeFrameHead(slab, used, { length, kind, stamp, stream });
    sealFrame(slab, used, length);
    this.used = start + length;
    this.bytes += frameHeaderBytes + length;
  }

  addReferenced(stream: number, kind: number, payload: Uint8Array, stamp: number): void {
    const { slab, used } = this;
    writeFrameHead(slab, used, { length: payload.length, kind, stamp, stream });
    sealFrame(slab, used, payload);
    this.used = used + frameHeaderBytes;
    this.closeSlabPart();
    this.buffers.push(payload);
    this.bytes += frameHeaderBytes + payload.length;
  }

  /** All buffers of the group in order. */
  take(): Uint8Array[] {
    this.closeSlabPart();
    return this.buffers;
  }

  private closeSlabPart(): void {
    if (this.used > this.open) this.buffers.push(this.slab.subarray(this.open, this.used));
    this.open = this.used;
  }
}

class SegmentedWriter implements SpoolWriter {
  readonly series: string;
  private readonly options: SpoolWriterOptions;
  private readonly folder: string;
  private readonly lock: ProcessLock;
  private readonly syncTimer: NodeJS.Timeout;
  private descriptor = -1;
  private segment = 0;
  private segmentUsed = 0;
  private segmentOpenedAt = 0;
  private streams = 0;
  private totalBytes = 0;
  private queued: Group[] = [new Group()];
  private spare: Group[] = [];
  private writing = false;
  private flushScheduled = false;
  private unsynced = false;
  private syncing: Promise<void> = Promise.resolve();
  private closed: (() => void) | undefined;

  constructor(options: SpoolWriterOptions) {
    this.options = options;
    this.series = options.series;
    this.folder = path.join(options.folder, options.series);
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const lock = takeLock(path.join(this.folder, 'lock'), `writer of ${options.series}, process ${process.pid}`);
    if ('heldBy' in lock) throw new Error(`spool series ${options.series} is being written by ${lock.heldBy}`);
    this.lock = lock;
    this.openSegment();
    this.syncTimer = setInterval(() => this.syncOrRotate(), options.syncIntervalMs);
    this.syncTimer.unref();
  }

  newStream(): number {
    this.streams += 1;
    return this.streams;
  }

  append(stream: number, kind: number, payload: string | Uint8Array, stamp = 0): void {
    // TRICKY: a UTF-16 unit becomes at most three bytes of UTF-8; only a text near the limit is worth measuring.
    const mostBytes = typeof payload === 'string' ? payload.length * 3 : payload.length;
    if (mostBytes <= copyLimitBytes) {
      this.groupFor(frameHeaderBytes + mostBytes).addCopied(stream, kind, payload, stamp);
      this.totalBytes += frameHeaderBytes + mostBytes;
      this.scheduleFlush();
      return;
    }
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
    for (let start = 0; start < bytes.length; start += largestPayloadBytes) {
      const part = bytes.subarray(start, start + largestPayloadBytes);
      this.groupFor(frameHeaderBytes).addReferenced(stream, kind, part, stamp);
      this.totalBytes += frameHeaderBytes + part.length;
    }
    this.scheduleFlush();
  }

  whenWritten(settled: Settled): void {
    this.current().waiting.push(settled);
    this.scheduleFlush();
  }

  bytes(): number {
    return this.totalBytes;
  }

  async close(): Promise<void> {
    clearInterval(this.syncTimer);
    await new Promise<void>((resolve) => {
      this.whenWritten(() => resolve());
    });
    await new Promise<void>((resolve) => {
      if (!this.writing) resolve();
      else this.closed = resolve;
    });
    await this.sync(this.descriptor);
    closeSync(this.descriptor);
    this.lock.release();
  }

  private current(): Group {
    const last = this.queued.at(-1);
    if (last !== undefined) return last;
    const group = this.spare.pop() ?? new Group();
    this.queued.push(group);
    return group;
  }

  private groupFor(copiedBytes: number): Group {
    const group = this.current();
    if (group.hasRoom(copiedBytes)) return group;
    const next = this.spare.pop() ?? new Group();
    this.queued.push(next);
    this.flush();
    return next;
  }

  /** All that is appended while one turn of the event loop runs goes into one group. */
  private scheduleFlush(): void {
    if (this.writing || this.flushScheduled) return;
    this.flushScheduled = true;
    setImmediate(() => {
      this.flushScheduled = false;
      this.flush();
    });
  }

  /** Starts writing the oldest group unless one is under way; whatever arrives meanwhile gathers in the next. */
  private flush(): void {
    if (this.writing) return;
    const group = this.queued.shift();
    if (group === undefined) return;
    if (group.bytes === 0) {
      this.finishGroup(group, true);
      return;
    }
    this.writing = true;
    if (this.segmentUsed + group.bytes > this.options.segmentMaxBytes && this.segmentUsed > segmentHeaderBytes) this.tryToRotate();
    this.writeGroup(group, group.take());
  }

  private writeGroup(group: Group, buffers: readonly Uint8Array[]): void {
    const total = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
    const done = (error: NodeJS.ErrnoException | null, written: number): void => {
      if (error !== null) this.failGroup(group, error);
      else if (written < total) this.writeGroup(group, remainder(buffers, written));
      else this.completeGroup(group);
    };
    const [only] = buffers;
    if (buffers.length === 1 && only !== undefined) write(this.descriptor, only, 0, only.length, null, done);
    else writev(this.descriptor, buffers, done);
  }

  private completeGroup(group: Group): void {
    this.segmentUsed += group.bytes;
    this.unsynced = true;
    if (this.options.sync === 'interval') {
      this.settleWrite(group, true);
      return;
    }
    this.unsynced = false;
    fdatasync(this.descriptor, (error) => {
      if (error === null) this.settleWrite(group, true);
      else this.failGroup(group, error);
    });
  }

  /** Goes on in a new segment, so that later frames do not stand behind a torn one; where that fails too, the reader finds them by checksum. */
  private failGroup(group: Group, error: Error): void {
    this.options.onFailure(error);
    this.tryToRotate();
    this.settleWrite(group, false);
  }

  private settleWrite(group: Group, written: boolean): void {
    this.writing = false;
    this.finishGroup(group, written);
    this.flushIfNeeded();
    if (!this.writing) this.closed?.();
  }

  private finishGroup(group: Group, written: boolean): void {
    const { waiting } = group;
    group.reset();
    if (this.spare.length < 2) this.spare.push(group);
    for (const settled of waiting) settled(written);
  }

  private flushIfNeeded(): void {
    const [next] = this.queued;
    if (next !== undefined && (next.waiting.length > 0 || next.bytes > 0)) this.scheduleFlush();
  }

  private openSegment(): void {
    const number = this.segment + 1;
    const descriptor = openSync(path.join(this.folder, segmentName(number)), 'ax', 0o600);
    writeSync(descriptor, makeSegmentHeader());
    syncFolder(this.folder);
    this.descriptor = descriptor;
    this.segment = number;
    this.segmentUsed = segmentHeaderBytes;
    this.segmentOpenedAt = this.options.monotonic();
  }

  /** When no new segment can be made (disk full) the old one goes on past its size. */
  private tryToRotate(): void {
    const finished = this.descriptor;
    try {
      this.openSegment();
    } catch (error) {
      this.options.onFailure(asError(error));
      return;
    }
    void this.sync(finished).then(() => closeSync(finished));
  }

  private syncOrRotate(): void {
    if (this.writing) return;
    const old = this.options.monotonic() - this.segmentOpenedAt > this.options.segmentMaxMs;
    if (old && this.segmentUsed > segmentHeaderBytes) this.tryToRotate();
    else if (this.unsynced) void this.sync(this.descriptor);
  }

  /** One sync at a time, so that no descriptor is closed under a running one. */
  private sync(descriptor: number): Promise<void> {
    this.unsynced = false;
    this.syncing = this.syncing.then(
      () =>
        new Promise((resolve) => {
          fdatasync(descriptor, (error) => {
            if (error !== null) this.options.onFailure(error);
            resolve();
          });
        }),
    );
    return this.syncing;
  }
}

/**
 * Opens a new series for this process.
 * @throws when the folder cannot be written or the series is somebody else's.
 */
export function openSpoolWriter(options: SpoolWriterOptions): SpoolWriter {
  const writer = new SegmentedWriter(options);
  return {
    series: writer.series,
    newStream: () => writer.newStream(),
    append: (stream, kind, payload, stamp) => writer.append(stream, kind, payload, stamp),
    whenWritten: (settled) => writer.whenWritten(settled),
    bytes: () => writer.bytes(),
    close: () => writer.close(),
  };
}

function remainder(buffers: readonly Uint8Array[], written: number): Uint8Array[] {
  let left = written;
  const rest: Uint8Array[] = [];
  for (const buffer of buffers) {
    if (left >= buffer.length) left -= buffer.length;
    else {
      rest.push(buffer.subarray(left));
      left = 0;
    }
  }
  return rest;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
