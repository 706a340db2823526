import { existsSync, readdirSync, statSync } from 'node:fs';
import { copyFile, link, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { CopyOptions, MetadataCopy } from '../../metadata/copy.ts';
import { ensureFolder, isMissing, isSystemError } from '../../platform/files.ts';
import { listSegments, listSeries } from '../../spool/segment.ts';
import { segmentName } from '../../spool/spool.ts';
import type { StoreParts } from '../../store/parts/parts.ts';

/**
 * # A snapshot: one moment of a running service, on the disk
 *
 * It holds everything that was answered before it began, each record once: what the store has, by the checkpoint, is not in the spool any more,
 * and what is not in the store is in the spool. Calls go on meanwhile, and so do changes of what is stored.
 *
 * Order.
 *   1  the ingest stands still between two batches: nothing enters the store from the spool, nothing leaves the spool or the pending changes; and no
 *      erasure begins a step or ends a stage, so that 4 and 5 tell of the same ones (`jobs/erasures.ts`)
 *   2  the number of the last change that waits for its request
 *   3  the spool: segments with their lengths at this moment, the checkpoint and the identity of the spool; the dead letters
 *   4  the metadata, later than the spool, so that it has the organisation, the key and the claimed identifier of every exchange; of the changes that
 *      wait those up to 2, so that each has its exchange
 *   5  the parts of the store, the table `requests` before the others, so that no row shows a change that is not in its history
 *   6  the ingest goes on, and so do erasures
 *
 * Nothing of any size is copied, but for the metadata: files that only grow or never change get a second name in the snapshot's folder, mode 0700
 * in the data folder, and keep their content there when the service deletes them. Whoever made the snapshot removes it.
 *
 * Crash cases.
 *   core dies          the next one removes the folder when it starts
 *   an exchange is open, or a frame half-written, at 3
 *                      a service over the snapshot finds the spool of a worker that has died: broken off, or torn and passed over
 *   an erasure is half-done at 5
 *                      as when the core dies: by 4 it is not over, and the next start goes on with it; what is in the store of the list of its requests
 *                      is either whole or will be written again
 *   a run of retention is half-done at 5
 *                      the next run, at the start, finds by their times what it left: rows of bodies and history without their request
 *   a change is half-made at 5
 *                      as when the core dies between its two writes: in the history and not in the row; it was not answered yet
 */
export interface SnapshotPorts {
  /** Runs while the ingest and the erasures pause. @throws when they do not in time. */
  readonly whilePaused: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly listParts: () => Promise<StoreParts>;
  readonly lastPendingChange: () => Promise<number>;
  readonly copyMetadata: (file: string, options: CopyOptions) => Promise<MetadataCopy>;
  readonly spoolFolder: string;
  readonly deadLetterFolder: string;
  /** The file of the deployment's secret. */
  readonly secretFile: string;
}

/** A snapshot; paths are relative to its folder. */
export interface Snapshot {
  readonly storeStep: number;
  readonly metadata: MetadataCopy;
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Valid bytes of the spool's segments, which keep growing. */
  readonly segments: Readonly<Record<string, number>>;
}

/** A merge may remove a part between the listing and the link, but not this often. */
const maxTries = 5;

/**
 * Takes a snapshot into a new folder. @param secrets whether it contains the deployment's secret and the keys that it encrypts. @throws
 * when the ingest cannot pause or the disk fails; nothing is left then.
 */
export async function takeSnapshot(ports: SnapshotPorts, folder: string, secrets: boolean): Promise<Snapshot> {
  ensureFolder(folder);
  try {
    return await ports.whilePaused(() => fill(ports, folder, secrets));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function fill(ports: SnapshotPorts, folder: string, secrets: boolean): Promise<Snapshot> {
  const lastPendingChange = await ports.lastPendingChange();
  const segments = await linkSpool(ports.spoolFolder, path.join(folder, 'spool'));
  if (existsSync(ports.deadLetterFolder)) await linkFiles(ports.deadLetterFolder, path.join(folder, 'dead-letters'), linkUnlessGone);
  if (secrets) await copyIfPresent(ports.secretFile, path.join(folder, 'secret.key'));
  const metadata = await ports.copyMetadata(path.join(folder, 'metadata.db'), { lastPendingChange, secrets });
  const { step, rows } = await linkStore(ports.listParts, path.join(folder, 'store'));
  return { storeStep: step, metadata, rows, segments };
}

async function linkSpool(spool: string, target: string): Promise<Record<string, number>> {
  ensureFolder(target);
  for (const name of ['id', 'checkpoint.json']) await copyIfPresent(path.join(spool, name), path.join(target, name));
  const segments: Record<string, number> = {};
  for (const series of listSeries(spool)) {
    ensureFolder(path.join(target, series));
    // TRICKY: listed before they are measured. All segments before a listed one have all their bytes.
    for (const number of listSegments(path.join(spool, series))) {
      const name = path.join(series, segmentName(number));
      await linkFile(path.join(spool, name), path.join(target, name));
      segments[`spool/${series}/${segmentName(number)}`] = statSync(path.join(target, name)).size;
    }
  }
  return segments;
}

/** TRICKY: a part never changes, so linked parts stay when another one turns out to be gone, and each retry has less to do. */
async function linkStore(
  listParts: SnapshotPorts['listParts'],
  target: string,
): Promise<{ readonly step: number; readonly rows: Record<string, number> }> {
  const linked = new Set<string>();
  for (let triesLeft = maxTries - 1; ; triesLeft -= 1) {
    const { step, parts } = await listParts();
    const wanted = new Map(parts.map((part) => [path.join(target, part.table, part.name), part]));
    for (const folder of linked) {
      if (wanted.has(folder)) continue;
      await rm(folder, { recursive: true, force: true });
      linked.delete(folder);
    }
    try {
      const rows: Record<string, number> = {};
      for (const [folder, part] of wanted) {
        rows[part.table] = (rows[part.table] ?? 0) + part.rows;
        if (linked.has(folder)) continue;
        await linkWhole(part.folder, folder);
        linked.add(folder);
      }
      return { step, rows };
    } catch (error) {
      if (triesLeft === 0 || !isMissing(error)) throw error;
    }
  }
}

/** Links all files of a folder. @throws when one is gone; nothing is linked then. */
async function linkWhole(source: string, target: string): Promise<void> {
  try {
    await linkFiles(source, target);
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}

/** Links all files of a folder but hidden ones, which are being written. */
async function linkFiles(source: string, target: string, linkOne = linkFile): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [path.join(source, entry.name), path.join(target, entry.name)];
    if (entry.isDirectory()) await linkFiles(from, to, linkOne);
    else if (entry.isFile() && !entry.name.startsWith('.')) await linkOne(from, to);
  }
}

async function linkFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!isSystemError(error) || error.code !== 'EXDEV') throw error;
    throw new Error(
      'a part of the data folder lies on another file system than the folder itself, so that nothing can be linked into a snapshot',
      {
        cause: error,
      },
    );
  }
}

/** A dead letter may be deleted meanwhile, once its record is stored; the store, which is copied later, has the record. */
async function linkUnlessGone(from: string, to: string): Promise<void> {
  try {
    await linkFile(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function copyIfPresent(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
