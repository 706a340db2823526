import { fdatasync, fstatSync } from 'node:fs';
import { isSystemError } from '../platform/files.ts';
import type { ProcessLock } from '../platform/process-lock.ts';
import { DiskSync } from './disk-sync.ts';
import { type FrameLabel, frameHeaderBytes, maxPayloadBytes, segmentHeaderBytes } from './frame.ts';
import { asLost, bytesOf, maxBytesOf, type Payload, WriteBatch, type WriteCallback } from './write-batch.ts';
import { BatchWriter } from './batch-writer.ts';
import { createSegment } from './segment.ts';
import { createSeries } from './series.ts';
import type { Position } from './spool.ts';

export interface SpoolWriter {
  readonly series: string;
  readonly newStream: () => number;
  /**
   * Queues a frame. Text is written as UTF-8; bytes must not be changed until they are written. Payloads over the frame limit are split
   * into several frames of the same kind, of which only the last is shorter than that limit, possibly empty. After `close`, and while the
   * queue is full, the frame is dropped and the next `whenWritten` of its stream reports that.
   */
  readonly append: (stream: number, kind: number, payload: Payload, stamp?: number) => void;
  /**
   * Calls back when everything appended so far is written: in the page cache, with `always` on the disk. `false`: a frame of this stream
   * that was not yet written at this call is lost, or one was dropped since the last call; with `always` it may exist unsynced. Other
   * streams do not count. Callbacks come in the order of the calls, across streams.
   */
  readonly whenWritten: (stream: number, callback: WriteCallback) => void;
  /** Bytes written or queued since the start. */
  readonly bytes: () => number;
  /** Writes the queue, syncs, closes and releases the lock. */
  readonly close: () => Promise<void>;
}

/** A writer that tells how far it is. */
export interface PositionedWriter extends SpoolWriter {
  /** Behind everything that is written: what a callback of `whenWritten` tells of ends before it. */
  readonly position: () => Position;
}

export interface SpoolWriterOptions {
  readonly folder: string;
  readonly series: string;
  readonly segmentMaxBytes: number;
  readonly segmentMaxMs: number;
  /** `always`: every batch waits for the disk. `interval`: the disk follows within `syncIntervalMs`. */
  readonly sync: 'always' | 'interval';
  readonly syncIntervalMs: number;
  /** Bytes that may wait for the disk before frames are dropped; 256 MiB when not given. */
  readonly queueMaxBytes?: number;
  /** Called when frames could not be written or synced, at most once a second for the same message. */
  readonly onFailure: (error: Error) => void;
  readonly monotonic: () => number;
}

interface OpenSegment {
  readonly descriptor: number;
  readonly number: number;
  readonly openedAt: number;
  /** Bytes of whole batches and the header. */
  used: number;
  /** A write into it failed half-way, or its sync failed: nothing more may be written to it. */
  torn: boolean;
}

interface Failure {
  readonly error: Error;
  /** Bytes from the start of the batch that are written. */
  readonly bytes: number;
}

/** Streams are numbered from 1. */
const noStream = 0;
/** Frames up to this size are copied into the batch's buffer, so that a batch of small ones is a single write. */
const copyLimitBytes = 16 * 1024;
const defaultQueueMaxBytes = 256 * 1024 * 1024;
/** Delay before the next attempt to create a segment. */
const retryDelayMs = 100;
const repeatedFailureMs = 1000;
const diskFullCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

class SegmentedWriter implements PositionedWriter {
  readonly series: string;
  private readonly options: SpoolWriterOptions;
  private readonly disk: DiskSync;
  private readonly writes: BatchWriter;
  private readonly timer: NodeJS.Timeout;
  private folder = '';
  /** Undefined until the series exists. */
  private lock: ProcessLock | undefined;
  private segment: OpenSegment | undefined;
  private retryAt = Number.NEGATIVE_INFINITY;
  private streams = 0;
  private totalBytes = 0;
  private queuedBytes = 0;
  /** Streams that dropped a frame since their last `whenWritten`. */
  private readonly dropped = new Set<number>();
  private readonly queued: WriteBatch[] = [];
  private readonly freeBatches: WriteBatch[] = [];
  private writing = false;
  private flushScheduled = false;
  private closing: Promise<void> | undefined;
  private accepting = true;
  private lastFailure = { message: '', at: Number.NEGATIVE_INFINITY };

  constructor(options: SpoolWriterOptions) {
    this.options = options;
    this.series = options.series;
    this.disk = new DiskSync((error) => this.report(error));
    this.writes = new BatchWriter(options.monotonic);
    try {
      this.openSeries();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.backOff(asError(error));
    }
    this.timer = setInterval(() => this.syncOrRotate(), options.syncIntervalMs);
    this.timer.unref();
  }

  newStream(): number {
    this.streams += 1;
    return this.streams;
  }

  append(stream: number, kind: number, payload: Payload, stamp = 0): void {
    const label = { kind, stream, stamp };
    const maxBytes = maxBytesOf(payload);
    if (maxBytes <= copyLimitBytes) {
      if (this.fits(stream, maxBytes)) this.count(this.batchFor(frameHeaderBytes + maxBytes).addCopied(label, payload));
    } else {
      this.appendLarge(label, bytesOf(payload));
    }
    this.scheduleFlush();
  }

  whenWritten(stream: number, callback: WriteCallback): void {
    if (this.accepting) this.currentBatch().addCallback(stream, this.dropped.delete(stream) ? asLost(callback) : callback);
    else setImmediate(callback, false);
    this.scheduleFlush();
  }

  readonly position = (): Position => ({ segment: this.segment?.number ?? 0, offset: this.segment?.used ?? 0 });

  bytes(): number {
    return this.totalBytes;
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private appendLarge(label: FrameLabel, bytes: Uint8Array): void {
    if (!this.fits(label.stream, bytes.length)) return;
    // An empty part follows a full last one, so that a reader always knows whether more follows.
    for (let start = 0; start <= bytes.length; start += maxPayloadBytes) {
      const part = bytes.subarray(start, start + maxPayloadBytes);
      this.count(this.batchFor(frameHeaderBytes).addReferenced(label, part));
    }
  }

  private fits(stream: number, bytes: number): boolean {
    const maxBytes = this.options.queueMaxBytes ?? defaultQueueMaxBytes;
    if (this.accepting && (this.queuedBytes === 0 || this.queuedBytes + bytes <= maxBytes)) return true;
    if (this.accepting) {
      this.dropped.add(stream);
      this.report(new Error(`more than ${maxBytes} bytes wait for the disk`));
    }
    return false;
  }

  private count(bytes: number): void {
    this.totalBytes += bytes;
    this.queuedBytes += bytes;
  }

  private async shutDown(): Promise<void> {
    clearInterval(this.timer);
    await new Promise<void>((resolve) => {
      this.whenWritten(noStream, () => resolve());
      // TRICKY: queue nothing from here on, so that this callback is the last: a late write could hit another file with the same descriptor.
      this.accepting = false;
    });
    if (this.segment !== undefined) await this.disk.finish(this.segment.descriptor, this.folder);
    this.segment = undefined;
    this.lock?.release();
  }

  private currentBatch(): WriteBatch {
    return this.queued.at(-1) ?? this.addBatch();
  }

  private addBatch(): WriteBatch {
    const batch = this.freeBatches.pop() ?? new WriteBatch();
    this.queued.push(batch);
    return batch;
  }

  private batchFor(copiedBytes: number): WriteBatch {
    const batch = this.currentBatch();
    if (batch.fits(copiedBytes)) return batch;
    const next = this.addBatch();
    this.flush(false);
    return next;
  }

  /** Everything appended within one tick of the event loop goes into one batch. */
  private scheduleFlush(): void {
    if (this.writing || this.flushScheduled) return;
    this.flushScheduled = true;
    setImmediate(() => {
      this.flushScheduled = false;
      this.flush(true);
    });
  }

  /**
   * Starts writing the oldest batch unless one is being written; frames that arrive meanwhile gather in the next.
   * @param atOnce the write and its callbacks may happen before this returns: no append is running.
   */
  private flush(atOnce: boolean): void {
    if (this.writing) return;
    const batch = this.queued.shift();
    if (batch === undefined) return;
    this.writing = true;
    if (batch.bytes === 0) {
      this.settle(batch);
      return;
    }
    const segment = this.segmentFor(batch.bytes);
    if (segment !== undefined) this.writeBatch(batch, segment, atOnce);
    // An append may be running, and callbacks never come within one.
    else setImmediate(() => this.failFrom(batch, 0));
  }

  private writeBatch(batch: WriteBatch, segment: OpenSegment, atOnce: boolean): void {
    const written = (error: Error | null, bytes: number): void => {
      if (error === null) this.completeBatch(batch, segment);
      else this.failBatch(batch, segment, { error, bytes: this.options.sync === 'interval' ? bytes : 0 });
    };
    if (atOnce) this.writes.writeAtOnce(segment.descriptor, batch.take(), written);
    else this.writes.writeLater(segment.descriptor, batch.take(), written);
  }

  private completeBatch(batch: WriteBatch, segment: OpenSegment): void {
    segment.used += batch.bytes;
    if (this.options.sync === 'interval') {
      this.disk.onWritten();
      this.settle(batch);
      return;
    }
    const synced = (error: Error | null): void => {
      if (error === null) {
        this.settle(batch);
        return;
      }
      segment.torn = true;
      this.failBatch(batch, segment, { error, bytes: 0 });
    };
    if (this.disk.isFolderSynced()) fdatasync(segment.descriptor, synced);
    else this.disk.syncWithFolder(segment.descriptor, this.folder).then(() => synced(null), synced);
  }

  private failBatch(batch: WriteBatch, segment: OpenSegment, { error, bytes }: Failure): void {
    this.report(error);
    segment.torn ||= fileSize(segment.descriptor) !== segment.used;
    this.failFrom(batch, bytes);
  }

  /**
   * Reports the loss to every waiter, in this batch or a later one, whose stream appended a frame beyond the last byte written. All other
   * frames are safe.
   */
  private failFrom(batch: WriteBatch, writtenBytes: number): void {
    const lost = batch.failFrom(writtenBytes);
    for (const later of this.queued) later.failStreams(lost);
    this.settle(batch);
  }

  private settle(batch: WriteBatch): void {
    this.writing = false;
    this.queuedBytes -= batch.bytes;
    const callbacks = batch.reset();
    if (this.freeBatches.length < 2) this.freeBatches.push(batch);
    if (this.queued[0]?.isEmpty() === false) this.scheduleFlush();
    for (const callback of callbacks) callBack(callback);
  }

  /** The segment for the next batch, a new one if needed. @returns undefined when none can be created. */
  private segmentFor(bytes: number): OpenSegment | undefined {
    const { segment } = this;
    const isUsable = segment !== undefined && !segment.torn;
    if (isUsable && !this.isOld(segment) && !(this.isBegun(segment) && segment.used + bytes > this.options.segmentMaxBytes)) return segment;
    this.tryToRotate();
    // While no new one can be created, an intact one grows beyond its max size.
    return this.segment?.torn === false ? this.segment : undefined;
  }

  private isBegun(segment: OpenSegment): boolean {
    return segment.used > segmentHeaderBytes;
  }

  private isOld(segment: OpenSegment): boolean {
    return this.isBegun(segment) && this.options.monotonic() - segment.openedAt > this.options.segmentMaxMs;
  }

  private tryToRotate(): void {
    if (this.options.monotonic() < this.retryAt) return;
    const finished = this.segment;
    try {
      if (finished === undefined) this.openSeries();
      else this.openSegment(createSegment(this.folder, finished.number + 1), finished.number + 1);
    } catch (error) {
      this.backOff(asError(error));
      return;
    }
    if (finished === undefined) return;
    this.disk.onNewFile();
    void this.disk.finish(finished.descriptor, this.folder);
  }

  private openSeries(): void {
    const { folder, lock, descriptor } = createSeries(this.options.folder, this.series);
    this.folder = folder;
    this.lock = lock;
    this.openSegment(descriptor, 1);
  }

  private openSegment(descriptor: number, number: number): void {
    this.segment = { descriptor, number, openedAt: this.options.monotonic(), used: segmentHeaderBytes, torn: false };
  }

  private backOff(error: Error): void {
    this.retryAt = this.options.monotonic() + retryDelayMs;
    this.report(error);
  }

  private syncOrRotate(): void {
    if (this.segment === undefined) return;
    if (!this.writing && this.isOld(this.segment)) this.tryToRotate();
    this.disk.syncIfNeeded(this.segment.descriptor);
  }

  private report(error: Error): void {
    const now = this.options.monotonic();
    if (error.message === this.lastFailure.message && now - this.lastFailure.at < repeatedFailureMs) return;
    this.lastFailure = { message: error.message, at: now };
    this.options.onFailure(error);
  }
}

/**
 * Opens a new series for this process. On a full disk it starts without one and creates it once there is space.
 * @throws when the folder cannot be written or the series exists.
 */
export function openSpoolWriter(options: SpoolWriterOptions): PositionedWriter {
  const writer = new SegmentedWriter(options);
  return {
    series: writer.series,
    newStream: () => writer.newStream(),
    append: (stream, kind, payload, stamp) => writer.append(stream, kind, payload, stamp),
    whenWritten: (stream, callback) => writer.whenWritten(stream, callback),
    position: writer.position,
    bytes: () => writer.bytes(),
    close: () => writer.close(),
  };
}

/** A callback that throws does not prevent the others; its error becomes an uncaught exception. */
function callBack(callback: (written: boolean) => void): void {
  try {
    callback(true);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function fileSize(descriptor: number): number | undefined {
  try {
    return fstatSync(descriptor).size;
  } catch {
    return undefined;
  }
}

function isDiskFull(error: unknown): boolean {
  return isSystemError(error) && diskFullCodes.has(error.code ?? '');
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
