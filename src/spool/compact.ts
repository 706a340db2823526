import { renameSync, rmSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../platform/files.ts';
import { compactedSegmentVersion, frameHeaderBytes, makeSegmentHeader, segmentHeaderBytes } from './frame.ts';
import { listSegments } from './segment.ts';
import { type FrameLocation, segmentName } from './spool.ts';

export interface Compaction {
  readonly seriesFolder: string;
  /** The segment to replace: it will hold the frames instead of its own. The series continues with the next one. */
  readonly segment: number;
  /** In reading order. */
  readonly frames: readonly FrameLocation[];
  /** Called with the new locations, in the order of `frames`, in the same tick in which they replace the old ones. */
  readonly onCompacted: (locations: readonly FrameLocation[]) => void;
}

/**
 * Copies the frames that are still needed into a segment that replaces everything before it, so that all lower segments can be deleted.
 * Nothing has changed before `onCompacted` is called; durable on return.
 *
 * A reader of the series starts at the last such segment. Lower ones that a crash left are void: they hold beginnings of streams whose
 * ends the new segment does not have.
 * @throws the system's error when the disk is full, or an error when a frame is gone.
 */
export async function compactSegments({ seriesFolder, segment, frames, onCompacted }: Compaction): Promise<void> {
  const file = path.join(seriesFolder, segmentName(segment));
  const temporaryFile = `${file}.new`;
  try {
    const locations = await copyFrames(seriesFolder, frames, { temporaryFile, segment });
    renameSync(temporaryFile, file);
    // Before the sync, which may fail: the segment is replaced already.
    onCompacted(locations);
    syncFolder(seriesFolder);
  } catch (error) {
    rmSync(temporaryFile, { force: true });
    throw error;
  }
}

/** Bytes on disk of the segments below this one. */
export async function bytesBefore(seriesFolder: string, segment: number): Promise<number> {
  let bytes = 0;
  for (const number of listSegments(seriesFolder)) {
    if (number < segment) bytes += (await stat(path.join(seriesFolder, segmentName(number)))).size;
  }
  return bytes;
}

async function copyFrames(
  seriesFolder: string,
  frames: readonly FrameLocation[],
  to: { readonly temporaryFile: string; readonly segment: number },
): Promise<FrameLocation[]> {
  const source = new SegmentSource(seriesFolder);
  const target = await open(to.temporaryFile, 'w', 0o600);
  try {
    await target.appendFile(makeSegmentHeader(compactedSegmentVersion));
    const locations: FrameLocation[] = [];
    let offset = segmentHeaderBytes;
    for (const frame of frames) {
      // With its checksums, so that damage stays detectable.
      const bytes = await source.read(frame);
      await target.appendFile(bytes);
      locations.push({ ...frame, segment: to.segment, offset });
      offset += bytes.length;
    }
    await target.sync();
    return locations;
  } finally {
    await source.close();
    await target.close();
  }
}

/** Reads raw frames; keeps one segment open. */
class SegmentSource {
  private readonly folder: string;
  private segment = -1;
  private handle: FileHandle | undefined;

  constructor(folder: string) {
    this.folder = folder;
  }

  async read({ segment, offset, length }: FrameLocation): Promise<Buffer> {
    if (segment !== this.segment || this.handle === undefined) {
      await this.close();
      this.handle = await open(path.join(this.folder, segmentName(segment)), 'r');
      this.segment = segment;
    }
    const bytes = Buffer.allocUnsafe(frameHeaderBytes + length);
    const { bytesRead } = await this.handle.read(bytes, 0, bytes.length, offset);
    if (bytesRead < bytes.length) throw new Error(`the frame at ${segment}:${offset} is longer than its file`);
    return bytes;
  }

  async close(): Promise<void> {
    await this.handle?.close();
    this.handle = undefined;
  }
}
