import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isSystemError } from '../platform/files.ts';
import { listSeries } from './segment.ts';

/** Watches how full the spool is, over all its series. */
export interface SpoolSpace {
  /** False when another exchange should not be recorded. */
  readonly hasFreeSpace: () => boolean;
  /** False when no more of the bodies of those that are being recorded should be either. */
  readonly takesParts: () => boolean;
  /** Bytes of all segments as last counted. */
  readonly usedBytes: () => number;
  readonly close: () => void;
}

export interface SpoolSpaceOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly intervalMs: number;
  /** Bytes that this process has appended so far: what came since the last count is added to it. */
  readonly appendedBytes: () => number;
}

/** For what was begun while there was room there is so much more, as a part of the bound: small calls end whole, and the bodies of all that run stay within it. */
const partsShare = 1 / 16;

/** Counts the spool now and at every interval; between counts it adds what this process appended. */
export function watchSpoolSpace(options: SpoolSpaceOptions): SpoolSpace {
  let counted = 0;
  let appendedAtCount = options.appendedBytes();
  const count = async (): Promise<void> => {
    const appended = options.appendedBytes();
    counted = await folderBytes(options.folder);
    appendedAtCount = appended;
  };
  let counting = false;
  // A count that fails leaves the last one standing, to which everything appended since is added.
  const countUnlessCounting = (): void => {
    if (counting) return;
    counting = true;
    count()
      .catch(() => undefined)
      .finally(() => {
        counting = false;
      });
  };
  const timer = setInterval(countUnlessCounting, options.intervalMs);
  timer.unref();
  countUnlessCounting();
  const usedBytes = (): number => counted + options.appendedBytes() - appendedAtCount;
  const maxWithParts = options.maxBytes * (1 + partsShare);
  return {
    hasFreeSpace: () => usedBytes() < options.maxBytes,
    takesParts: () => usedBytes() < maxWithParts,
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
  return readdir(folder).catch(whenGone<string[]>([]));
}

async function bytesOf(file: string): Promise<number> {
  return stat(file).then((entry) => entry.size, whenGone(0));
}

/** The ingest deletes while we count: what is gone has no bytes. */
function whenGone<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (isSystemError(error) && error.code === 'ENOENT') return value;
    throw error;
  };
}
