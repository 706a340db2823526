import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { auditSteps, metadataSteps } from '../../metadata/steps.ts';
import { eventsSteps } from '../../events/database/database.ts';
import { syncFolder } from '../../platform/files.ts';
import { takeLock } from '../../platform/process-lock.ts';
import { storeSteps } from '../../store/schema/migrate.ts';
import { restoreParts } from '../../store/parts/restore-parts.ts';
import { forEachAtOnce } from '../../platform/bounds/at-once.ts';
import { copyEntireFile } from './copy-file.ts';
import { type BackedUpFile, type Manifest, readManifest } from './manifest.ts';
import { isMissingOrEmpty } from './write-backup.ts';

export interface RestoreOrder {
  readonly backup: string;
  readonly dataDir: string;
  readonly onProgress: (done: number, all: number) => void;
}

const unfinishedSuffix = '.restoring';
const lockFile = 'restore.lock';
const storePrefix = 'store/';
const filesAtOnce = 4;

/**
 * Restores a data folder completely or not at all: it checks every file against the manifest, lets the store count its rows, and only then
 * gives the folder its name. It removes the remains of a restore that was killed. @throws with a sentence for people when the backup is
 * damaged, incomplete or newer than this program, or the data folder is not empty.
 */
export async function restoreBackup({ backup, dataDir, onProgress }: RestoreOrder): Promise<Manifest> {
  if (!isMissingOrEmpty(dataDir)) {
    throw new Error(`The data folder ${dataDir} is not empty. Restore into one that does not exist yet (GATELOG_DATA_DIR).`);
  }
  if (!existsSync(path.dirname(dataDir))) {
    throw new Error(`The folder ${path.dirname(dataDir)} does not exist. Make it, or set GATELOG_DATA_DIR to another.`);
  }
  const manifest = readManifest(backup);
  refuseNewer(manifest);
  const unfinished = dataDir + unfinishedSuffix;
  const release = beginIn(unfinished);
  try {
    let done = 0;
    const copy = async (file: BackedUpFile, to: string): Promise<void> => {
      await copyChecked(path.join(backup, file.path), to, file);
      done += 1;
      onProgress(done, manifest.files.length);
    };
    const [inStore, others] = [manifest.files.filter(isInStore), manifest.files.filter((file) => !isInStore(file))];
    await forEachAtOnce(others, filesAtOnce, (file) => copy(file, path.join(unfinished, file.path)));
    await restoreParts(path.join(unfinished, 'clickhouse'), {
      step: manifest.storeStep,
      rows: rowsOfTables(manifest, inStore),
      place: (table, folder) => {
        const prefix = `${storePrefix}${table}/`;
        const own = inStore.filter((file) => file.path.startsWith(prefix));
        return forEachAtOnce(own, filesAtOnce, (file) => copy(file, path.join(folder, file.path.slice(prefix.length))));
      },
    });
  } catch (error) {
    release();
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
  release();
  finish(unfinished, dataDir);
  return manifest;
}

function isInStore(file: BackedUpFile): boolean {
  return file.path.startsWith(storePrefix);
}

/** Rows by table: every file of the store belongs to one. @throws when the manifest names files of no table. */
function rowsOfTables({ rows }: Manifest, files: readonly BackedUpFile[]): Manifest['rows'] {
  const stray = files.find((file) => rows[file.path.split('/')[1] ?? ''] === undefined);
  if (stray !== undefined) throw new Error(`The manifest is damaged: ${stray.path} belongs to no table.`);
  return rows;
}

/** @throws with a sentence for people. */
function refuseNewer({ version, storeStep, ...steps }: Manifest): void {
  const isKnown = steps.metadataSteps.every((step) => metadataSteps.includes(step));
  const areEventsKnown = (steps.eventsSteps ?? []).every((step) => eventsSteps.includes(step));
  const isAuditKnown = (steps.auditSteps ?? []).every((step) => auditSteps.includes(step));
  if (storeStep <= storeSteps && isKnown && areEventsKnown && isAuditKnown) return;
  throw new Error(
    `The backup was made by a newer Gatelog (${version}), whose tables this version does not know. Restore it with that version.`,
  );
}

async function copyChecked(from: string, to: string, { path: name, bytes, sha256 }: BackedUpFile): Promise<void> {
  const copied = await copyEntireFile(from, to);
  if (copied.bytes === bytes && copied.sha256 === sha256) return;
  throw new Error(`The backup is damaged: ${name} is not as it was written. Nothing was restored.`);
}

/** @throws when another restore writes that folder. */
function beginIn(unfinished: string): () => void {
  const lock = path.join(unfinished, lockFile);
  if (existsSync(unfinished)) {
    if (!existsSync(lock)) throw new Error(`${unfinished} is there and was not made by "gatelog restore". Move it away.`);
    const held = takeLock(lock, `restore, process ${process.pid}`);
    if ('heldBy' in held) throw new Error(`${unfinished} is being made by another restore (${held.heldBy}).`);
    held.release();
    rmSync(unfinished, { recursive: true });
  }
  mkdirSync(unfinished, { mode: 0o700 });
  const taken = takeLock(lock, `restore, process ${process.pid}`);
  if ('heldBy' in taken) throw new Error(`${unfinished} is being made by another restore (${taken.heldBy}).`);
  return taken.release;
}

function finish(unfinished: string, dataDir: string): void {
  for (const name of [lockFile, `${lockFile}.holder`]) rmSync(path.join(unfinished, name), { force: true });
  syncFolder(unfinished);
  if (existsSync(dataDir)) rmdirSync(dataDir);
  renameSync(unfinished, dataDir);
  syncFolder(path.dirname(dataDir));
}
