import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../platform/files.ts';
import { listSeries } from './segment.ts';

/** Measures the disk usage of the spool. */
export interface SpoolSpace {
  /** False: do not record another exchange. */
  readonly hasFreeSpace: () => boolean;
  /** As {@link hasFreeSpace}, for an organisation that writes much. */
  readonly hasSpaceForBusy: () => boolean;
  /** False: do not record further body parts of running exchanges either. */
  readonly hasSpaceForParts: () => boolean;
  /** Bytes of all segments: the last count, and what this process appended since. */
  readonly usedBytes: () => number;
  readonly close: () => void;
}

export interface SpoolSpaceOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly intervalMs: number;
  /** Bytes that this process has appended so far. */
  readonly appendedBytes: () => number;
}

/**
 * Extra space for exchanges that began below the max, as a share of it: small calls complete, and the bodies of all running calls stay
 * within it.
 */
const partsShare = 1 / 16;
/** Of the spool's bytes; who writes much leaves it to the others, whose calls would go unrecorded otherwise. */
const shareOfOthers = 1 / 8;

/** Counts the spool now and at every interval; between counts it adds what this process appended. */
export function watchSpoolSpace(options: SpoolSpaceOptions): SpoolSpace {
  let counted = 0;
  let appendedAtCount = options.appendedBytes();
  let isCounting = false;
  const count = async (): Promise<void> => {
    if (isCounting) return;
    isCounting = true;
    try {
      const appended = options.appendedBytes();
      counted = await folderBytes(options.folder);
      appendedAtCount = appended;
    } catch {
      // The last count stays in use, plus everything appended since.
    } finally {
      isCounting = false;
    }
  };
  const timer = setInterval(() => void count(), options.intervalMs);
  timer.unref();
  void count();
  const usedBytes = (): number => counted + options.appendedBytes() - appendedAtCount;
  const maxBytesWithParts = options.maxBytes * (1 + partsShare);
  return {
    hasFreeSpace: () => usedBytes() < options.maxBytes,
    hasSpaceForBusy: () => usedBytes() < options.maxBytes * (1 - shareOfOthers),
    hasSpaceForParts: () => usedBytes() < maxBytesWithParts,
    usedBytes,
    close: () => clearInterval(timer),
  };
}

/** Bytes of all segments in a spool's folder. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const series of listSeries(folder)) {
    const seriesFolder = path.join(folder, series);
    for (const name of await namesIn(seriesFolder)) bytes += await bytesOf(path.join(seriesFolder, name));
  }
  return bytes;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(ifMissing<string[]>([]));
}

async function bytesOf(file: string): Promise<number> {
  return stat(file).then((entry) => entry.size, ifMissing(0));
}

/** The ingest deletes files during the count; they count as empty. */
function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (isMissing(error)) return value;
    throw error;
  };
}
