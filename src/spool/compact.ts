import { renameSync, rmSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../platform/files.ts';
import { compactedSegmentVersion, frameHeaderBytes, makeSegmentHeader, segmentHeaderBytes } from './frame.ts';
import { listSegments } from './segment.ts';
import { type FrameLocation, segmentName } from './spool.ts';

/** Frames to be carried, and where to. */
export interface Compaction {
  readonly seriesFolder: string;
  /** The segment that takes them in place of what it holds. Its series goes on with the next. */
  readonly segment: number;
  /** In the order in which they are to be read. */
  readonly frames: readonly FrameLocation[];
  /** Told the new places of all frames, in their order, in the same turn of the event loop from which on they hold and the old ones may not. */
  readonly carried: (places: readonly FrameLocation[]) => void;
}

/**
 * Copies frames into a segment that stands for everything before it, so that all segments below can be deleted though somebody still needs a few
 * of their frames. Before `carried` is called nothing has changed; durable on return.
 *
 * Whoever reads the series from its start begins with the last such segment: the ones below it, where a crash left them, are void. They have to
 * be, as they hold beginnings of streams whose ends the new segment has not.
 * @throws what the system says of a disk that is full, or a frame that is gone.
 */
export async function compactSegments({ seriesFolder, segment, frames, carried }: Compaction): Promise<void> {
  const file = path.join(seriesFolder, segmentName(segment));
  const unfinished = `${file}.new`;
  try {
    const places = await copyFrames(seriesFolder, frames, { unfinished, segment });
    renameSync(unfinished, file);
    // Whatever becomes of the sync: the segment is another one already.
    carried(places);
    syncFolder(seriesFolder);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Bytes of the segments below one, on the disk. */
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
  to: { readonly unfinished: string; readonly segment: number },
): Promise<FrameLocation[]> {
  const source = new SegmentSource(seriesFolder);
  const target = await open(to.unfinished, 'w', 0o600);
  try {
    await target.appendFile(makeSegmentHeader(compactedSegmentVersion));
    const places: FrameLocation[] = [];
    let offset = segmentHeaderBytes;
    for (const frame of frames) {
      // As it stands, with its checksums: a frame that is damaged stays known as one.
      const bytes = await source.read(frame);
      await target.appendFile(bytes);
      places.push({ ...frame, segment: to.segment, offset });
      offset += bytes.length;
    }
    await target.sync();
    return places;
  } finally {
    await source.close();
    await target.close();
  }
}

/** Reads frames as they stand in their segments, of which it keeps one open. */
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
