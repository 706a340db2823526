import { existsSync, readdirSync, statSync } from 'node:fs';
import { copyFile, link, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { CopyOptions, MetadataCopy } from '../../metadata/copy.ts';
import { ensureFolder, isMissing, isSystemError } from '../../platform/files.ts';
import { listSegments, listSeries } from '../../spool/segment.ts';
import { segmentName } from '../../spool/spool.ts';
import type { StoreParts } from '../../store/parts/list-parts.ts';

/**
 * # A snapshot: one moment of a running service on disk
 *
 * It contains everything acknowledged before it began, each record once: records in the store, by the checkpoint, are no longer in the
 * spool, and all others are. Calls and changes of stored records go on meanwhile.
 *
 * Order.
 *   1  The ingest pauses between two batches: nothing enters the store from the spool, nothing leaves the spool or the pending changes. No
 *      erasure begins a step or ends a stage, so that 4 to 7 agree about erasures (`jobs/erasures.ts`).
 *   2  The sequence of the last pending change.
 *   3  The spool: segments with their present lengths, the checkpoint and the identity of the spool; the dead letters.
 *   4  The metadata, after the spool, so that it has the organisation, the key and the claimed id of every exchange; pending changes up to
 *      2 only, so that each has its exchange.
 *   5  The deliveries of events: after the progress of erasures, so that none comes back, and before the store, so that no webhook's position
 *      in the order of storage is beyond a record that the copy lacks.
 *   6  The audit log: a change that it lacks was not answered before the snapshot began.
 *   7  The parts of the store, the table `requests` first, so that no row shows a change that is not in its history.
 *   8  The ingest and the erasures resume.
 *
 * Only metadata, deliveries and the audit log are copied. Other files only grow or never change: they get hard links in the snapshot's folder (mode 0700, inside the
 * data folder), which keep their content when the service deletes them. The caller removes the snapshot.
 *
 * Crash cases.
 *   core dies          The next core removes the folder at startup.
 *   an exchange is open, or a frame half-written, at 3
 *                      A service over the snapshot finds the spool of a dead worker: an exchange cut off, or a torn frame to skip.
 *   an erasure is half-done at 7
 *                      As when the core dies: by 4 it is unfinished, and the next start resumes it; its list of requests in the store is
 *                      either complete or will be rewritten.
 *   a run of retention is half-done at 7
 *                      The next run, at startup, finds by their times the rows of bodies and history without a request.
 *   a delivery's attempt runs at 5
 *                      As when the core dies: it is attempted again, under the same identifier.
 *   a change is half-made at 7
 *                      As when the core dies between its two writes: in the history and not in the row, and not acknowledged yet.
 */
export interface SnapshotPorts {
  /** Runs while the ingest and the erasures pause. @throws when they do not in time. */
  readonly whilePaused: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly listParts: () => Promise<StoreParts>;
  readonly lastPendingChange: () => Promise<number>;
  readonly copyMetadata: (file: string, options: CopyOptions) => Promise<MetadataCopy>;
  /** @returns the names of its migrations. */
  readonly copyEvents: (file: string) => Promise<readonly string[]>;
  /** @returns the names of its migrations. */
  readonly copyAudit: (file: string) => Promise<readonly string[]>;
  readonly spoolFolder: string;
  readonly deadLetterFolder: string;
  /** The file of the deployment's secret. */
  readonly secretFile: string;
}

/** A snapshot; paths are relative to its folder. */
export interface Snapshot {
  readonly storeStep: number;
  readonly metadata: MetadataCopy;
  /** Migrations of the database of events. */
  readonly eventsSteps: readonly string[];
  /** Migrations of the database of the audit log. */
  readonly auditSteps: readonly string[];
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
  const eventsSteps = await ports.copyEvents(path.join(folder, 'events.db'));
  const auditSteps = await ports.copyAudit(path.join(folder, 'audit.db'));
  const { step, rows } = await linkStore(ports.listParts, path.join(folder, 'store'));
  return { storeStep: step, metadata, eventsSteps, auditSteps, rows, segments };
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
    const listed = new Map(parts.map((part) => [path.join(target, part.table, part.name), part]));
    for (const folder of linked) {
      if (listed.has(folder)) continue;
      await rm(folder, { recursive: true, force: true });
      linked.delete(folder);
    }
    try {
      const rows: Record<string, number> = {};
      for (const [folder, part] of listed) {
        rows[part.table] = (rows[part.table] ?? 0) + part.rows;
        if (linked.has(folder)) continue;
        await linkFolder(part.folder, folder);
        linked.add(folder);
      }
      return { step, rows };
    } catch (error) {
      if (triesLeft === 0 || !isMissing(error)) throw error;
    }
  }
}

/** Links all files of a folder. @throws when one is gone; nothing is linked then. */
async function linkFolder(source: string, target: string): Promise<void> {
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
