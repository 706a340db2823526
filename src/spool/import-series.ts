import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { syncFolder, writeFully } from '../platform/files.ts';
import { takeLock } from '../platform/process-lock.ts';
import { type FrameLabel, frameHeaderBytes, writeFrameHeader } from './frame.ts';
import { createSegment } from './segment.ts';
import { lockName, seriesNamePattern, unfinishedPrefix } from './spool.ts';

/** A frame with its payload, within the frame limit. */
export interface WholeFrame extends FrameLabel {
  readonly payload: Buffer;
}

/**
 * Writes frames as a complete series, like that of a dead writer. The series appears atomically and is durable on return; a failure or
 * crash before leaves nothing of it.
 * @throws when the folder cannot be written or the series exists.
 */
export function writeWholeSeries(spoolFolder: string, series: string, frames: readonly WholeFrame[]): void {
  if (!seriesNamePattern.test(series)) throw new Error(`"${series}" cannot name a spool series`);
  const temporaryFolder = path.join(spoolFolder, `${unfinishedPrefix}${series}-${randomUUID()}`);
  mkdirSync(temporaryFolder, { mode: 0o700 });
  // Held until the series has its name: a worker that starts removes unlocked ones as leftovers of a crash.
  const lock = takeLock(path.join(temporaryFolder, lockName), `writer of ${series}, process ${process.pid}`);
  if ('heldBy' in lock) throw new Error(`the new spool series is being removed by ${lock.heldBy}`);
  try {
    writeFrames(temporaryFolder, frames);
    syncFolder(temporaryFolder);
    renameSync(temporaryFolder, path.join(spoolFolder, series));
    syncFolder(spoolFolder);
  } catch (error) {
    rmSync(temporaryFolder, { recursive: true, force: true });
    throw error;
  } finally {
    lock.release();
  }
}

function writeFrames(folder: string, frames: readonly WholeFrame[]): void {
  const descriptor = createSegment(folder, 1);
  try {
    for (const { payload, ...label } of frames) {
      const header = Buffer.alloc(frameHeaderBytes);
      writeFrameHeader(header, 0, label, payload);
      writeFully(descriptor, header);
      writeFully(descriptor, payload);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
