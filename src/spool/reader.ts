import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isSystemError } from '../platform/files.ts';
import { isLocked } from '../platform/process-lock.ts';
import { frameHeaderBytes, isFrameIntact, largestPayloadBytes, readFrameHead, readSegmentVersion, segmentHeaderBytes } from './frame.ts';
import { listSegments } from './segment.ts';
import { type FrameLocation, type Position, segmentName } from './spool.ts';

export interface Damage extends Position {
  readonly reason: string;
  /** Bytes that were passed over. */
  readonly skippedBytes: number;
}

export interface SeriesReaderOptions {
  /** Called for every whole frame, in order. `payload` is only valid during the call. */
  readonly onFrame: (frame: FrameLocation, payload: Buffer) => void;
  readonly onDamage: (damage: Damage) => void;
}

const readBytes = 1024 * 1024;
/** The largest frame fits in the window behind one read. */
const windowBytes = readBytes + largestPayloadBytes + frameHeaderBytes;

/** Follows one series: from its oldest segment that is left to its end, while it is still being written. */
export class SeriesReader {
  private readonly folder: string;
  private readonly options: SeriesReaderOptions;
  private readonly window = Buffer.allocUnsafeSlow(windowBytes);
  private filled = 0;
  private segment: number | undefined;
  /** Offset in the segment file of the first byte in the window. */
  private offset = 0;
  private descriptor = -1;
  private skippedBytes = 0;
  /** Set once the writer was seen dead: what the files hold then is all there will be. */
  private writerGone = false;
  private ended = false;

  constructor(folder: string, options: SeriesReaderOptions) {
    this.folder = folder;
    this.options = options;
  }

  /** True when the writer is dead and every frame was handed out. */
  isEnded(): boolean {
    return this.ended;
  }

  /** Where reading stands. */
  position(): Position {
    return { segment: this.segment ?? 0, offset: this.offset };
  }

  /** Hands out every whole frame that is there now, up to about `mostBytes`. @returns bytes handed out. */
  read(mostBytes: number): number {
    let handedOut = 0;
    while (!this.ended && handedOut < mostBytes) {
      if (this.descriptor === -1 && !this.openNextSegment()) break;
      const got = this.fill();
      const used = this.parse();
      handedOut += used;
      if (got === 0 && used === 0 && !this.leaveSegment()) break;
    }
    return handedOut;
  }

  /** Notices that the writer has died. What it wrote up to then is read first; call {@link read} again after this says true. */
  noticeWriterGone(): boolean {
    // A writer takes its lock before it makes its first segment: a folder without one may only just be coming up.
    if (!this.writerGone && listSegments(this.folder).length > 0 && !isLocked(path.join(this.folder, 'lock'))) this.writerGone = true;
    return this.writerGone;
  }

  close(): void {
    if (this.descriptor !== -1) closeSync(this.descriptor);
    this.descriptor = -1;
  }

  private openNextSegment(): boolean {
    const after = this.segment ?? 0;
    const next = listSegments(this.folder).find((number) => number > after);
    if (next === undefined) {
      this.ended = this.writerGone;
      return false;
    }
    this.segment = next;
    this.offset = 0;
    this.filled = 0;
    this.descriptor = openSync(path.join(this.folder, segmentName(next)), 'r');
    return true;
  }

  private fill(): number {
    const room = Math.min(readBytes, windowBytes - this.filled);
    const got = readSync(this.descriptor, this.window, this.filled, room, this.offset + this.filled);
    this.filled += got;
    return got;
  }

  /** Hands out the whole frames in the window and moves the rest to its front. @returns bytes used up. */
  private parse(): number {
    let at = this.offset === 0 ? this.passHeader() : 0;
    while (this.filled - at >= frameHeaderBytes) {
      const head = readFrameHead(this.window, at);
      if (head !== undefined && this.filled - at < frameHeaderBytes + head.length) break;
      if (head === undefined || !isFrameIntact(this.window, at, head)) {
        // TRICKY: after damage the next frame may start at any byte; only a frame with a right checksum ends the search.
        this.skippedBytes += 1;
        at += 1;
        continue;
      }
      this.reportDamage(at, 'a frame does not match its checksum');
      const start = at + frameHeaderBytes;
      const { kind, stream, stamp, length } = head;
      const location = { segment: this.segment ?? 0, offset: this.offset + at, length, kind, stream, stamp };
      this.options.onFrame(location, this.window.subarray(start, start + length));
      at = start + length;
    }
    this.window.copy(this.window, 0, at, this.filled);
    this.filled -= at;
    this.offset += at;
    return at;
  }

  private passHeader(): number {
    if (this.filled < segmentHeaderBytes) return 0;
    const version = readSegmentVersion(this.window);
    if (version === undefined || version > 1) {
      this.skippedBytes = segmentHeaderBytes;
      this.reportDamage(0, version === undefined ? 'the segment header is damaged' : `the segment is of a newer version (${version})`);
    }
    return segmentHeaderBytes;
  }

  /** At the end of the file: goes to the next segment when this one can grow no more. */
  private leaveSegment(): boolean {
    const current = this.segment ?? 0;
    const hasNext = listSegments(this.folder).some((number) => number > current);
    if (!hasNext && !this.writerGone) return false;
    // TRICKY: the writer may have appended between the last read and the look for a next segment; a new one is only opened after that append.
    if (fstatSync(this.descriptor).size > this.offset + this.filled) return true;
    if (this.filled > 0) {
      this.skippedBytes += this.filled;
      this.offset += this.filled;
      this.reportDamage(0, 'the last frame is torn');
    }
    this.close();
    if (hasNext) return true;
    this.ended = true;
    return false;
  }

  private reportDamage(at: number, reason: string): void {
    if (this.skippedBytes === 0) return;
    const offset = this.offset + at - this.skippedBytes;
    this.options.onDamage({ segment: this.segment ?? 0, offset, reason, skippedBytes: this.skippedBytes });
    this.skippedBytes = 0;
  }
}

/** Reads the payloads of frames again, by their places. @throws when a segment is gone or damaged since. */
export function readPayloads(seriesFolder: string, frames: readonly FrameLocation[]): Buffer[] {
  let descriptor = -1;
  let segment = -1;
  try {
    return frames.map((frame) => {
      if (frame.segment !== segment) {
        if (descriptor !== -1) closeSync(descriptor);
        descriptor = openSync(path.join(seriesFolder, segmentName(frame.segment)), 'r');
        segment = frame.segment;
      }
      const payload = Buffer.allocUnsafe(frame.length);
      const got = readSync(descriptor, payload, 0, frame.length, frame.offset + frameHeaderBytes);
      if (got !== frame.length) throw new Error(`frame at ${frame.segment}:${frame.offset} is shorter than it was`);
      return payload;
    });
  } finally {
    if (descriptor !== -1) closeSync(descriptor);
  }
}

/** Deletes segments of a series that nobody needs any more: all below `before`. @returns how many went. */
export function deleteSegmentsBefore(seriesFolder: string, before: number): number {
  const numbers = listSegments(seriesFolder).filter((number) => number < before);
  for (const number of numbers) removeIfPresent(path.join(seriesFolder, segmentName(number)));
  return numbers.length;
}

/** Deletes a whole series. */
export function deleteSeries(seriesFolder: string): void {
  rmSync(seriesFolder, { recursive: true, force: true });
}

function removeIfPresent(file: string): void {
  try {
    rmSync(file);
  } catch (error) {
    if (!(isSystemError(error) && error.code === 'ENOENT')) throw error;
  }
}
