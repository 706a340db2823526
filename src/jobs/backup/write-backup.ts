import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isMissing, isSystemError, syncFolder } from '../../platform/files.ts';
import { forEachAtOnce } from '../../platform/bounds/at-once.ts';
import { copyEntireFile } from './copy-file.ts';
import { type BackedUpFile, type Manifest, writeManifest } from './manifest.ts';
import type { Snapshot } from './snapshot.ts';

export interface BackupOrder {
  readonly snapshot: Snapshot;
  /** The folder of the snapshot. */
  readonly snapshotFolder: string;
  readonly begunAt: string;
  readonly secrets: boolean;
  /** Version of the program. */
  readonly version: string;
  /** Aborted when the snapshot is gone. */
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, all: number) => void;
}

/** The unfinished folder and its final name. */
export interface BackupTarget {
  readonly folder: string;
  readonly unfinished: string;
}

const unfinishedSuffix = '.incomplete';
/** Marks an unfinished backup, which a later one to the same name may delete. */
const marker = 'backup-is-incomplete';
const filesAtOnce = 4;

/**
 * Creates the unfinished folder of a backup, and deletes the remains of an earlier one. @throws with a sentence for people when the target
 * is not empty or cannot be created.
 */
export function beginBackup(folder: string): BackupTarget {
  const unfinished = folder + unfinishedSuffix;
  try {
    makeUnfinished(folder, unfinished);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new Error(
      `The folder ${folder} cannot be made (${error.code ?? error.message}). Name one that does not exist yet, in a folder that is there and that this user can write.`,
      { cause: error },
    );
  }
  return { folder, unfinished };
}

function makeUnfinished(folder: string, unfinished: string): void {
  if (!isMissingOrEmpty(folder)) throw new Error(`${folder} is there and not empty. Name a folder that does not exist yet.`);
  if (existsSync(path.join(unfinished, marker))) rmSync(unfinished, { recursive: true });
  if (existsSync(unfinished)) throw new Error(`${unfinished} is there and was not made by "gatelog backup". Name another folder.`);
  mkdirSync(unfinished, { mode: 0o700 });
  writeFileSync(path.join(unfinished, marker), '', { mode: 0o600 });
}

/** Copies a snapshot, writes the manifest, and gives the folder its name. @throws when the disk fails or the snapshot ends. */
export async function writeBackup({ folder, unfinished }: BackupTarget, order: BackupOrder): Promise<Manifest> {
  const { snapshot, snapshotFolder, signal } = order;
  const paths = await filesBelow(snapshotFolder);
  const files: BackedUpFile[] = [];
  await forEachAtOnce(paths, filesAtOnce, async (file) => {
    signal.throwIfAborted();
    const copied = await copyEntireFile(path.join(snapshotFolder, file), path.join(unfinished, file), snapshot.segments[file]);
    files.push({ path: file, ...copied });
    order.onProgress(files.length, paths.length);
  });
  signal.throwIfAborted();
  const manifest: Manifest = {
    format: 1,
    version: order.version,
    begunAt: order.begunAt,
    storeStep: snapshot.storeStep,
    metadataSteps: snapshot.metadata.steps,
    eventsSteps: snapshot.eventsSteps,
    auditSteps: snapshot.auditSteps,
    secrets: order.secrets,
    secretsLeftOut: snapshot.metadata.secretsLeftOut,
    rows: snapshot.rows,
    files: files.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
  };
  writeManifest(unfinished, manifest);
  finish(unfinished, folder);
  return manifest;
}

function finish(unfinished: string, folder: string): void {
  rmSync(path.join(unfinished, marker));
  syncFolder(unfinished);
  if (existsSync(folder)) rmdirSync(folder);
  renameSync(unfinished, folder);
  syncFolder(path.dirname(folder));
}

/** Whether a path is missing or an empty folder. */
export function isMissingOrEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    if (isMissing(error)) return true;
    if (isSystemError(error) && error.code === 'ENOTDIR') return false;
    throw error;
  }
}

/** Paths of all files below a folder, relative to it, with slashes. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .toSorted();
}
