import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/load.ts';
import { dataPaths } from '../config/data-paths.ts';
import { readFileIfPresent, replaceFile, syncFolder } from '../platform/files.ts';
import { isStateName, stateFile, syncedMarkFile } from './state-files.ts';

/**
 * A boot of the machine ends the shared state, because nothing of it is synced and a power loss may damage it silently. A stop of the
 * service syncs it all, so that the counts of a month's budget outlive a planned restart of the machine.
 *
 * Invariant: the mark is there only while no process may write the state and all of it is on the disk.
 */

/** Puts the state on the disk. No process may have it open. @throws where the disk refuses; then the next boot begins without it. */
export function syncState(config: Config): void {
  const folder = dataPaths(config).state;
  const file = stateFile(folder);
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  replaceFile(syncedMarkFile(folder), path.basename(file));
}

/** Continues with the state of an earlier boot if the last stop has synced it. Call it before any process opens the state. */
export function continueSyncedState(config: Config): void {
  const folder = dataPaths(config).state;
  const mark = syncedMarkFile(folder);
  const name = readFileIfPresent(mark);
  if (name === undefined) return;
  const [synced, current] = [path.join(folder, name), stateFile(folder)];
  if (isStateName(name) && synced !== current && existsSync(synced)) {
    renameSync(synced, current);
    rmSync(`${synced}-lock`, { force: true });
  }
  rmSync(mark);
  // A mark that came back after a power loss would vouch for what is written from now on.
  syncFolder(folder);
}
