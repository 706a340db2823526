import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isMissing, syncFolder } from '../platform/files.ts';
import { isLocked } from '../platform/process-lock.ts';
import {
  compactedSegmentVersion,
  frameHeaderBytes,
  isPayloadIntact,
  maxPayloadBytes,
  readFrameHeader,
  readSegmentVersion,
  segmentHeaderBytes,
  segmentVersion,
} from './frame.ts';
import { listSegments } from './segment.ts';
import { deletedPrefix, type FrameLocation, lockName, type Position, segmentName } from './spool.ts';

export interface Corruption extends Position {
  readonly reason: string;
  readonly skippedBytes: number;
}

export interface SeriesReaderOptions {
  /** Called for every whole frame, in order and once, even when it throws. `payload` is only valid during the call. */
  readonly onFrame: (frame: FrameLocation, payload: Buffer) => void;
  readonly onDamage: (damage: Corruption) => void;
}

const readBytes = 1024 * 1024;
/** The largest frame fits in the window after one read. */
const windowBytes = readBytes + maxPayloadBytes + frameHeaderBytes;
const noWindow = Buffer.alloc(0);

/** Follows one series, from its oldest segment to its end, while it is still being written. */
export class SeriesReader {
  private readonly folder: string;
  private readonly options: SeriesReaderOptions;
  /** Allocated only while a segment is open: after several crashes many series wait at once. */
  private window = noWindow;
  private filled = 0;
  private segment = 0;
  /** Offset in the segment file of the first byte in the window. */
  private offset = 0;
  private descriptor = -1;
  private skippedBytes = 0;
  private skipReason = '';
  /** The writer is dead, so the files are complete. */
  private writerGone = false;
  private ended = false;
  /** Reading stops at a segment of a newer program. */
  private isUnreadable = false;

  constructor(folder: string, options: SeriesReaderOptions) {
    this.folder = folder;
    this.options = options;
  }

  /** True when the writer is dead and every frame was read. */
  isEnded(): boolean {
    return this.ended;
  }

  position(): Position {
    return { segment: this.segment, offset: this.offset };
  }

  /** Reads every complete frame written so far, up to about `maxBytes`. @returns bytes read or skipped. */
  read(maxBytes: number): number {
    let consumed = 0;
    while (!this.ended && !this.isUnreadable && consumed < maxBytes) {
      if (this.descriptor === -1 && !this.openNextSegment()) break;
      const bytesRead = this.fill();
      const parsed = this.parse();
      consumed += parsed;
      if (bytesRead === 0 && parsed === 0 && !this.finishSegment()) break;
    }
    return consumed;
  }

  /** Checks whether the writer has died. Call {@link read} again after `true`: frames from before its death may be left. */
  checkWriterGone(): boolean {
    this.writerGone ||= !isLocked(path.join(this.folder, lockName));
    return this.writerGone;
  }

  close(): void {
    if (this.descriptor !== -1) closeSync(this.descriptor);
    this.descriptor = -1;
    this.window = noWindow;
    this.filled = 0;
  }

  private openNextSegment(): boolean {
    const numbers = listSegments(this.folder);
    const next = this.segment === 0 ? this.firstValid(numbers) : numbers.find((number) => number > this.segment);
    if (next === undefined) {
      this.ended = this.writerGone;
      return false;
    }
    this.descriptor = openSync(path.join(this.folder, segmentName(next)), 'r');
    this.window = Buffer.allocUnsafeSlow(windowBytes);
    this.segment = next;
    this.offset = 0;
    this.filled = 0;
    return true;
  }

  /** Segments before the last compacted one are void. */
  private firstValid(numbers: readonly number[]): number | undefined {
    return numbers.findLast((number) => versionOf(path.join(this.folder, segmentName(number))) === compactedSegmentVersion) ?? numbers[0];
  }

  private fill(): number {
    const space = Math.min(readBytes, windowBytes - this.filled);
    const bytesRead = readSync(this.descriptor, this.window, this.filled, space, this.offset + this.filled);
    this.filled += bytesRead;
    return bytesRead;
  }

  /** Emits the complete frames in the window and moves the rest to its front. @returns bytes consumed. */
  private parse(): number {
    let at = this.offset === 0 ? this.skipHeader() : 0;
    try {
      while (!this.isUnreadable && this.filled - at >= frameHeaderBytes) {
        const header = readFrameHeader(this.window, at);
        if (header === undefined) {
          // TRICKY: without its header the end of a frame is unknown, so the next one may start at any byte.
          this.skip(1, 'the header of a frame does not match its checksum');
          at += 1;
          continue;
        }
        const start = at + frameHeaderBytes;
        const end = start + header.length;
        if (end > this.filled) break;
        const payload = this.window.subarray(start, end);
        const isIntact = isPayloadIntact(payload, header);
        if (isIntact) this.reportDamage(at);
        else this.skip(end - at, 'the payload of a frame does not match its checksum');
        const { kind, stream, stamp, length } = header;
        const location = { segment: this.segment, offset: this.offset + at, length, kind, stream, stamp };
        at = end;
        if (isIntact) this.options.onFrame(location, payload);
      }
    } finally {
      this.window.copy(this.window, 0, at, this.filled);
      this.filled -= at;
      this.offset += at;
    }
    return at;
  }

  private skipHeader(): number {
    if (this.filled < segmentHeaderBytes) return 0;
    const version = readSegmentVersion(this.window);
    if (version === undefined) {
      this.skip(segmentHeaderBytes, 'the segment header is damaged');
      this.reportDamage(segmentHeaderBytes);
    } else if (version !== segmentVersion && version !== compactedSegmentVersion) {
      this.isUnreadable = true;
      const reason = `the segment is of version ${version}, this program reads version ${compactedSegmentVersion} at the most: the series is left alone`;
      this.options.onDamage({ segment: this.segment, offset: 0, reason, skippedBytes: 0 });
      return 0;
    }
    return segmentHeaderBytes;
  }

  /** At the end of the file: goes to the next segment once this one can no longer grow. */
  private finishSegment(): boolean {
    const hasNext = listSegments(this.folder).some((number) => number > this.segment);
    if (!hasNext && !this.writerGone) return false;
    // TRICKY: the writer may have appended between the last read and the check for a next segment, which it opens only after that append.
    if (fstatSync(this.descriptor).size > this.offset + this.filled) return true;
    if (this.filled > 0) this.skip(this.filled, 'the last frame is torn');
    this.offset += this.filled;
    this.reportDamage(0);
    this.close();
    this.ended = !hasNext;
    return hasNext;
  }

  /** Adjacent damage is reported once, with the first reason. */
  private skip(bytes: number, reason: string): void {
    if (this.skippedBytes === 0) this.skipReason = reason;
    this.skippedBytes += bytes;
  }

  private reportDamage(at: number): void {
    if (this.skippedBytes === 0) return;
    const { segment, skippedBytes, skipReason: reason } = this;
    this.skippedBytes = 0;
    this.options.onDamage({ segment, offset: this.offset + at - skippedBytes, reason, skippedBytes });
  }
}

/** @returns undefined where the header is damaged or incomplete. */
function versionOf(file: string): number | undefined {
  const header = Buffer.alloc(segmentHeaderBytes);
  const descriptor = openSync(file, 'r');
  try {
    return readSync(descriptor, header, 0, segmentHeaderBytes, 0) === segmentHeaderBytes ? readSegmentVersion(header) : undefined;
  } finally {
    closeSync(descriptor);
  }
}

export function deleteSegmentsBefore(seriesFolder: string, before: number): void {
  const numbers = listSegments(seriesFolder).filter((number) => number < before);
  for (const number of numbers) rmSync(path.join(seriesFolder, segmentName(number)), { force: true });
}

/** Deletes a whole series, in one atomic step that survives a power loss. */
export function deleteSeries(seriesFolder: string): void {
  const spoolFolder = path.dirname(seriesFolder);
  const deletedFolder = path.join(spoolFolder, `${deletedPrefix}${path.basename(seriesFolder)}-${randomUUID()}`);
  try {
    renameSync(seriesFolder, deletedFolder);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  syncFolder(spoolFolder);
  rmSync(deletedFolder, { recursive: true, force: true });
}
