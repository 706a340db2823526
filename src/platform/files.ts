import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

/** Creates a folder with its parents for this user only; it survives a power loss. */
export function ensureFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const outermost = path.resolve(first);
  for (let made = path.resolve(folder); made.startsWith(outermost); made = path.dirname(made)) syncFolder(path.dirname(made));
}

/** Makes renames, creations and removals in a folder survive a power loss. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces a file's content atomically; durable on return. Mode 0600. */
export function replaceFile(file: string, content: string | Uint8Array): void {
  writeTemporary(file, content, (temporary) => renameSync(temporary, file));
}

/** Creates a file atomically, as {@link replaceFile} does. @returns false when it exists, perhaps by another process. */
export function createFile(file: string, content: string): boolean {
  let isNew = true;
  writeTemporary(file, content, (temporary) => {
    try {
      linkSync(temporary, file);
    } catch (error) {
      if (!isSystemError(error) || error.code !== 'EEXIST') throw error;
      isNew = false;
    }
    rmSync(temporary);
  });
  return isNew;
}

/** Writes a temporary file in the same folder and lets `place` move it. */
function writeTemporary(file: string, content: string | Uint8Array, commit: (temporary: string) => void): void {
  const folder = path.dirname(file);
  const temporary = path.join(folder, `.${path.basename(file)}.${randomUUID()}`);
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeFully(descriptor, typeof content === 'string' ? Buffer.from(content) : content);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    commit(temporary);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(folder);
}

/** Names of temporary files: of the file they are for, and a UUID. */
const unfinishedName = /^\..+\.[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * Removes temporary files of processes that died in {@link replaceFile} or {@link createFile}. @param before Unix milliseconds: later
 * files may be in the making and stay.
 */
export function removeUnfinished(folder: string, before: number): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isFile() || !unfinishedName.test(entry.name)) continue;
    const file = path.join(folder, entry.name);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < before) rmSync(file, { force: true });
  }
}

/** TRICKY: on a nearly full disk the system writes a part without an error; only the next write fails. */
export function writeFully(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}

/** Text of a file; undefined without one. */
export function readFileIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Names in a folder; none when it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The permission bits of a file, such as 0o600. */
export function permissionsOf(file: string): number {
  return statSync(file).mode & 0o777;
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}

/** Whether the error says that a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return isSystemError(error) && error.code === 'ENOENT';
}
