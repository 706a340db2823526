import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureFolder, isSystemError, syncFolder } from '../platform/files.ts';
import { isLocked, lockHolder, type ProcessLock, takeLock } from '../platform/process-lock.ts';
import { createSegment } from './segment.ts';
import { deletedPrefix, lockName, seriesNamePattern, unfinishedPrefix } from './spool.ts';

/** A new series with its first segment open. */
export interface NewSeries {
  readonly folder: string;
  readonly lock: ProcessLock;
  readonly descriptor: number;
}

const maxAttempts = 5;

/**
 * Creates a series. It appears under its name complete, locked and with a first segment, so an unlocked series always belongs to a dead
 * writer, never to one that is starting.
 * @throws when the folder cannot be written or the series exists.
 */
export function createSeries(spoolFolder: string, series: string): NewSeries {
  if (!seriesNamePattern.test(series)) throw new Error(`"${series}" cannot name a spool series`);
  ensureFolder(spoolFolder);
  removeLeftovers(spoolFolder);
  const folder = path.join(spoolFolder, series);
  for (let attempt = 1; ; attempt += 1) {
    const temporaryFolder = path.join(spoolFolder, `${unfinishedPrefix}${series}-${randomUUID()}`);
    try {
      return fillSeries(temporaryFolder, folder);
    } catch (error) {
      // TRICKY: before it has its lock the folder looks like a leftover, and another process that starts may be removing it.
      const isBeingRemoved = error instanceof LockedByRemover || !existsSync(temporaryFolder);
      removeIgnoringErrors(temporaryFolder);
      if (isConflict(error)) throw new Error(conflictMessage(folder), { cause: error });
      if (!isBeingRemoved || attempt === maxAttempts) throw error;
    }
  }
}

class LockedByRemover extends Error {}

function fillSeries(temporaryFolder: string, folder: string): NewSeries {
  mkdirSync(temporaryFolder, { mode: 0o700 });
  const lock = takeLock(path.join(temporaryFolder, lockName), `writer of ${path.basename(folder)}, process ${process.pid}`);
  if ('heldBy' in lock) throw new LockedByRemover(`the new spool series is locked by ${lock.heldBy}`);
  let descriptor = -1;
  try {
    descriptor = createSegment(temporaryFolder, 1);
    syncFolder(temporaryFolder);
    renameSync(temporaryFolder, folder);
    syncFolder(path.dirname(folder));
    return { folder, lock, descriptor };
  } catch (error) {
    if (descriptor !== -1) closeSync(descriptor);
    lock.release();
    throw error;
  }
}

/** The error of a rename onto a folder that is not empty. */
function isConflict(error: unknown): boolean {
  return isSystemError(error) && (error.code === 'ENOTEMPTY' || error.code === 'EEXIST');
}

function conflictMessage(folder: string): string {
  const lock = path.join(folder, lockName);
  const series = path.basename(folder);
  return isLocked(lock) ? `spool series ${series} is being written by ${lockHolder(lock)}` : `spool series ${series} exists already`;
}

/** Removes what a crash left of series that were being created or deleted. */
function removeLeftovers(spoolFolder: string): void {
  for (const name of readdirSync(spoolFolder)) {
    if (name.startsWith(deletedPrefix)) removeIgnoringErrors(path.join(spoolFolder, name));
    if (name.startsWith(unfinishedPrefix)) removeUnlessLocked(path.join(spoolFolder, name));
  }
}

/** Holds the lock during the removal, so that a writer that is creating a series in the folder cannot give it its name. */
function removeUnlessLocked(folder: string): void {
  try {
    const lock = takeLock(path.join(folder, lockName), `remover, process ${process.pid}`);
    if ('heldBy' in lock) return;
    removeIgnoringErrors(folder);
    lock.release();
  } catch {
    // Another process removed it first, or it cannot be removed now; the next start tries again.
  }
}

function removeIgnoringErrors(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Nothing in it is needed; the next start tries again.
  }
}
