import { write, writeSync, writev } from 'node:fs';

/** Told when all bytes of a group are written, or why they are not, and how many of them, from its start, are. */
export type GroupWritten = (error: Error | null, bytes: number) => void;

/** A write that takes longer was more than a copy into the page cache. */
const slowMs = 20;
/** So much of a second may go into writes on the event loop, milliseconds. A busy worker makes some hundred of them, each of less than a tenth of one. */
const maxMsOfSecond = 150;
/** For so long after either none is made on the event loop. */
const cautiousMs = 10_000;
/** A larger group is written by another thread: to copy it takes longer than to wake that. */
const maxBytesAtOnce = 512 * 1024;

/**
 * Writes groups of frames into segments.
 *
 * A write is a copy into the page cache, nearly always. Made on the event loop it costs less than made by another thread, which has to be woken and
 * whose core has the bytes not in its cache. A disk that has become slow stalls one such write, or takes a share of a second; for some seconds from then
 * on other threads wait for it, and the event loop goes on.
 */
export class GroupWrites {
  private readonly monotonic: () => number;
  private cautiousUntil = Number.NEGATIVE_INFINITY;
  /** Time that writes of the last second took, milliseconds; what is older counts less and less. */
  private spentMs = 0;
  private spentAt = 0;

  /** @param monotonic milliseconds of a clock that never steps back. */
  constructor(monotonic: () => number) {
    this.monotonic = monotonic;
  }

  /** Writes it on the event loop if that may be; `written` is called before this returns then. */
  writeAtOnce(descriptor: number, buffers: readonly Uint8Array[], written: GroupWritten): void {
    const [only] = buffers;
    const startedAt = this.monotonic();
    if (only === undefined || buffers.length > 1 || only.length > maxBytesAtOnce || startedAt < this.cautiousUntil) {
      this.writeLater(descriptor, buffers, written);
      return;
    }
    let bytes = 0;
    try {
      bytes = writeSync(descriptor, only, 0, only.length, null);
    } catch (error) {
      written(error as Error, 0);
      return;
    } finally {
      this.noteTime(startedAt);
    }
    this.goOn(descriptor, buffers, bytes, written);
  }

  private noteTime(startedAt: number): void {
    const now = this.monotonic();
    const tookMs = now - startedAt;
    this.spentMs = this.spentMs * Math.max(0, 1 - (now - this.spentAt) / 1000) + tookMs;
    this.spentAt = now;
    if (tookMs <= slowMs && this.spentMs <= maxMsOfSecond) return;
    this.cautiousUntil = startedAt + cautiousMs;
    this.spentMs = 0;
  }

  /** Writes it beside the event loop. */
  writeLater(descriptor: number, buffers: readonly Uint8Array[], written: GroupWritten): void {
    const done = (error: Error | null, bytes: number): void => {
      if (error === null) this.goOn(descriptor, buffers, bytes, written);
      else written(error, 0);
    };
    const [only] = buffers;
    if (buffers.length === 1 && only !== undefined) write(descriptor, only, 0, only.length, null, done);
    else writev(descriptor, buffers, done);
  }

  /** Writes what the system left, which may be part of what it was given. */
  private goOn(descriptor: number, buffers: readonly Uint8Array[], bytes: number, written: GroupWritten): void {
    const rest = remainder(buffers, bytes);
    if (rest.length === 0) written(null, bytes);
    else if (bytes === 0) written(new Error('the system wrote nothing and gave no reason'), 0);
    else this.writeLater(descriptor, rest, (error, more) => written(error, bytes + more));
  }
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
