import { write, writeSync, writev } from 'node:fs';

/** @param bytes written, from the start of the batch. */
export type BatchWritten = (error: Error | null, bytes: number) => void;

/** A slower write was more than a copy into the page cache. */
const slowMs = 20;
/** Max time per second for writes on the event loop. A busy worker makes about 100, of less than 0.1 ms each. */
const maxMsPerSecond = 150;
/** After either limit is exceeded, no write runs on the event loop for this long. */
const cautiousMs = 10_000;
/** Copying a larger batch takes longer than waking another thread to write it. */
const maxBytesAtOnce = 512 * 1024;

/**
 * Writes batches of frames into segments.
 *
 * A write is nearly always a copy into the page cache, which is cheaper on the event loop than in another thread: that has to be woken,
 * and its core does not have the bytes in its cache. A slow disk stalls one such write; for some seconds after it other threads do the
 * writing.
 */
export class BatchWriter {
  private readonly monotonic: () => number;
  private cautiousUntil = Number.NEGATIVE_INFINITY;
  /** Time that writes of about the last second took. */
  private spentMs = 0;
  private spentAt = 0;

  /** @param monotonic milliseconds of a clock that never steps back. */
  constructor(monotonic: () => number) {
    this.monotonic = monotonic;
  }

  /** Writes on the event loop where the limits allow, and then calls `written` before it returns. */
  writeAtOnce(descriptor: number, buffers: readonly Uint8Array[], onWritten: BatchWritten): void {
    const [only] = buffers;
    const startedAt = this.monotonic();
    if (only === undefined || buffers.length > 1 || only.length > maxBytesAtOnce || startedAt < this.cautiousUntil) {
      this.writeLater(descriptor, buffers, onWritten);
      return;
    }
    let bytes = 0;
    try {
      bytes = writeSync(descriptor, only, 0, only.length, null);
    } catch (error) {
      onWritten(error as Error, 0);
      return;
    } finally {
      this.recordTime(startedAt);
    }
    this.writeRest(descriptor, buffers, bytes, onWritten);
  }

  private recordTime(startedAt: number): void {
    const now = this.monotonic();
    const tookMs = now - startedAt;
    this.spentMs = this.spentMs * Math.max(0, 1 - (now - this.spentAt) / 1000) + tookMs;
    this.spentAt = now;
    if (tookMs <= slowMs && this.spentMs <= maxMsPerSecond) return;
    this.cautiousUntil = startedAt + cautiousMs;
    this.spentMs = 0;
  }

  /** Writes in another thread. */
  writeLater(descriptor: number, buffers: readonly Uint8Array[], onWritten: BatchWritten): void {
    const done = (error: Error | null, bytes: number): void => {
      if (error === null) this.writeRest(descriptor, buffers, bytes, onWritten);
      else onWritten(error, 0);
    };
    const [only] = buffers;
    if (buffers.length === 1 && only !== undefined) write(descriptor, only, 0, only.length, null, done);
    else writev(descriptor, buffers, done);
  }

  private writeRest(descriptor: number, buffers: readonly Uint8Array[], bytes: number, onWritten: BatchWritten): void {
    const rest = remainder(buffers, bytes);
    if (rest.length === 0) onWritten(null, bytes);
    else if (bytes === 0) onWritten(new Error('the system wrote nothing and gave no reason'), 0);
    else this.writeLater(descriptor, rest, (error, added) => onWritten(error, bytes + added));
  }
}

function remainder(buffers: readonly Uint8Array[], onWritten: number): Uint8Array[] {
  let remaining = onWritten;
  const rest: Uint8Array[] = [];
  for (const buffer of buffers) {
    if (remaining >= buffer.length) remaining -= buffer.length;
    else {
      rest.push(buffer.subarray(remaining));
      remaining = 0;
    }
  }
  return rest;
}
