import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder, writeFully } from '../platform/files.ts';
import { type ProcessLock, takeLock } from '../platform/process-lock.ts';
import { type FrameLabel, frameHeaderBytes, writeFrameHeader } from './frame.ts';
import { createSegment } from './segment.ts';
import { lockName, segmentName, seriesNamePattern, unfinishedPrefix } from './spool.ts';

/** A frame with its payload, within the frame limit. */
export interface UnsplitFrame extends FrameLabel {
  readonly payload: Buffer;
}

const atomicSeriesKinds = ['import', 'replay'] as const;

/** A fresh name for a series that is written as a whole. */
export function atomicSeriesName(kind: (typeof atomicSeriesKinds)[number]): string {
  return `${kind}-${randomUUID()}`;
}

const latePrefix = 'late-';

/** The series of a process for records of long ago. */
export function lateSeriesName(series: string): string {
  return `${latePrefix}${series}`;
}

/** Whether the records of a series may be of any time, so that they lie in many partitions of the store; those of the others are of now. */
export function mayBeLate(series: string): boolean {
  return series.startsWith(latePrefix) || isAtomicSeries(series);
}

/** Whether a series was written as a whole; the others are written by gateways, call by call. */
export function isAtomicSeries(series: string): boolean {
  return atomicSeriesKinds.some((kind) => series.startsWith(`${kind}-`));
}

/**
 * Writes frames as a complete series, like that of a dead writer. The series appears atomically and is durable on return; a failure or
 * crash before leaves nothing of it.
 * @throws when the folder cannot be written or the series exists.
 */
export function writeAtomicSeries(spoolFolder: string, series: string, frames: readonly UnsplitFrame[]): void {
  const unfinished = beginSeries(spoolFolder, series);
  try {
    writeFrames(unfinished.folder, frames);
    publish(unfinished);
  } catch (error) {
    rmSync(unfinished.folder, { recursive: true, force: true });
    throw error;
  } finally {
    unfinished.lock.release();
  }
}

/** A series that no reader sees yet, with its frames on the disk. One of the two must be called. */
export interface PreparedSeries {
  /** Gives the series its name; durable on return. @throws when the folder cannot be written; nothing of the series is left then. */
  readonly publish: () => void;
  readonly discard: () => void;
}

/** As {@link writeAtomicSeries}, but the bytes are written and synced without blocking, and the series appears only when it is published. */
export async function prepareSeries(spoolFolder: string, series: string, frames: readonly UnsplitFrame[]): Promise<PreparedSeries> {
  const unfinished = beginSeries(spoolFolder, series);
  const discard = (): void => {
    rmSync(unfinished.folder, { recursive: true, force: true });
    unfinished.lock.release();
  };
  try {
    closeSync(createSegment(unfinished.folder, firstSegment));
    const file = await open(path.join(unfinished.folder, segmentName(firstSegment)), 'a');
    try {
      for (const piece of piecesOf(frames)) await file.appendFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    discard();
    throw error;
  }
  return {
    publish: () => {
      try {
        publish(unfinished);
      } catch (error) {
        discard();
        throw error;
      }
      unfinished.lock.release();
    },
    discard,
  };
}

const firstSegment = 1;

interface UnfinishedSeries {
  readonly spoolFolder: string;
  readonly series: string;
  /** Its folder until it has its name. */
  readonly folder: string;
  /** Held until the series has its name: a worker that starts removes unlocked ones as leftovers of a crash. */
  readonly lock: ProcessLock;
}

function beginSeries(spoolFolder: string, series: string): UnfinishedSeries {
  if (!seriesNamePattern.test(series)) throw new Error(`"${series}" cannot name a spool series`);
  const folder = path.join(spoolFolder, `${unfinishedPrefix}${series}-${randomUUID()}`);
  mkdirSync(folder, { mode: 0o700 });
  const lock = takeLock(path.join(folder, lockName), `writer of ${series}, process ${process.pid}`);
  if ('heldBy' in lock) throw new Error(`the new spool series is being removed by ${lock.heldBy}`);
  return { spoolFolder, series, folder, lock };
}

function publish({ spoolFolder, series, folder }: UnfinishedSeries): void {
  syncFolder(folder);
  renameSync(folder, path.join(spoolFolder, series));
  syncFolder(spoolFolder);
}

function writeFrames(folder: string, frames: readonly UnsplitFrame[]): void {
  const descriptor = createSegment(folder, firstSegment);
  try {
    for (const piece of piecesOf(frames)) writeFully(descriptor, piece);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Bytes of one write. */
const pieceBytes = 1024 * 1024;

/** The bytes of frames, in pieces: a write for each frame would take longer than the rest. */
function* piecesOf(frames: readonly UnsplitFrame[]): Generator<Buffer, void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for (const { payload, ...label } of frames) {
    const header = Buffer.allocUnsafe(frameHeaderBytes);
    writeFrameHeader(header, 0, label, payload);
    parts.push(header, payload);
    bytes += header.length + payload.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(parts, bytes);
    parts = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(parts, bytes);
}
