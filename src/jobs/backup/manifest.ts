import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isJsonObject, parseJson } from '../../model/text.ts';
import { isMissing, replaceFile } from '../../platform/files.ts';

export interface BackedUpFile {
  /** Relative to the backup, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of its content, hexadecimal. */
  readonly sha256: string;
}

/** The description of a backup, written last: a folder without it is incomplete. */
export interface Manifest {
  readonly format: 1;
  /** Version of the program that made it. */
  readonly version: string;
  /** ISO 8601, before the snapshot: it contains everything acknowledged until then. */
  readonly begunAt: string;
  readonly storeStep: number;
  readonly metadataSteps: readonly string[];
  /** Undefined in backups of versions without events. */
  readonly eventsSteps?: readonly string[];
  /** Undefined in backups of versions without an audit log. */
  readonly auditSteps?: readonly string[];
  /** Whether it contains the deployment's secret and what it encrypts. */
  readonly secrets: boolean;
  /** Number of encrypted provider keys and secrets of webhooks left out. */
  readonly secretsLeftOut: number;
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly files: readonly BackedUpFile[];
}

const fileName = 'manifest.json';
/** A path within the folder: no part is empty or begins with a dot. */
const safePath = /^[^./\\\0][^/\\\0]*(?:\/[^./\\\0][^/\\\0]*)*$/;
const tableName = /^[a-z_]+$/;

/** Writes the manifest; durable on return. */
export function writeManifest(folder: string, manifest: Manifest): void {
  replaceFile(path.join(folder, fileName), `${JSON.stringify(manifest)}\n`);
}

/** @throws with a sentence for people when there is no manifest, or none that this program can use. */
export function readManifest(folder: string): Manifest {
  const manifest = parseJson(textOf(path.join(folder, fileName)));
  if (!isJsonObject(manifest)) throw new Error(`The manifest of ${folder} is damaged.`);
  if (manifest['format'] !== 1) {
    throw new Error(
      `The backup ${folder} is of format ${String(manifest['format'])}, made by Gatelog ${String(manifest['version'])}; this version reads format 1. Restore it with that version.`,
    );
  }
  const read = manifest as unknown as Manifest;
  const safe = read.files.every((file) => safePath.test(file.path)) && Object.keys(read.rows).every((table) => tableName.test(table));
  if (!safe) throw new Error(`The manifest of ${folder} is damaged: it names files outside of the backup.`);
  return read;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new Error(
      `${path.dirname(file)} is no whole backup: it has no ${fileName}, which is written last. A backup that was broken off ends in ".incomplete".`,
      { cause: error },
    );
  }
}
