import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { metadataFileName } from '../metadata/metadata-file.ts';
import { messageOf } from '../model/errors.ts';
import { ensureFolder, isSystemError } from '../platform/files.ts';

/** Names that a start creates in its data folder. A folder with any of them is ours. */
const ourNames: ReadonlySet<string> = new Set([
  'supervisor.lock',
  'core.lock',
  metadataFileName,
  'secret.key',
  'spool',
  'clickhouse',
  'dead-letters',
  'state',
]);
/** Files that open before all others. */
const firstFiles: readonly string[] = ['supervisor.lock', 'core.lock', metadataFileName];
/** How many foreign names an error lists. */
const shownNames = 3;

/**
 * Creates the data folder where it is missing and checks that it is usable. @throws with a sentence for people when it is not, or when it
 * belongs to something else.
 */
export function useDataDir(dataDir: string): void {
  try {
    // TRICKY: Node's recursive mkdir never ends in a place such as /proc; the parent has to exist.
    if (!existsSync(path.dirname(path.resolve(dataDir)))) throw new Error('its parent folder does not exist');
    refuseUnreachable(dataDir);
    ensureFolder(dataDir);
  } catch (error) {
    if (error instanceof DataFolderError) throw error;
    throw new DataFolderError(
      `The data folder ${dataDir} cannot be used: ${messageOf(error)}. Set GATELOG_DATA_DIR to a folder that can be written.`,
      { cause: error },
    );
  }
  refuseUnreachable(dataDir);
  refuseForeign(dataDir);
}

class DataFolderError extends Error {}

/**
 * @throws with a sentence that names the owner when this user cannot read and write the folder or a file in it, or when it is no folder. A
 * missing folder passes.
 */
export function refuseUnreachable(dataDir: string): void {
  if (isFile(dataDir)) {
    throw new DataFolderError(
      `The data folder ${path.resolve(dataDir)} is a file. Set GATELOG_DATA_DIR to a folder that is empty or does not exist yet.`,
    );
  }
  for (const file of [dataDir, ...firstFiles.map((name) => path.join(dataDir, name))]) {
    try {
      accessSync(file, constants.R_OK | constants.W_OK | (file === dataDir ? constants.X_OK : 0));
    } catch (error) {
      if (!isSystemError(error) || error.code === 'ENOENT' || error.code === 'ENOTDIR') continue;
      if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
      throw new DataFolderError(
        `${path.resolve(file)} cannot be read and written by this user (uid ${String(process.getuid?.())}): ${ownerOf(file)}. ` +
          `Run Gatelog as that user, change the owner ("chown -R" to uid ${String(process.getuid?.())}), or set GATELOG_DATA_DIR to another folder.`,
        { cause: error },
      );
    }
  }
}

function isFile(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isDirectory() === false;
  } catch {
    // A folder above it is unreachable or no folder; the access check reports that.
    return false;
  }
}

function ownerOf(file: string): string {
  try {
    const { uid, mode } = statSync(file);
    return `it belongs to uid ${uid} and has the mode ${(mode & 0o777).toString(8).padStart(4, '0')}`;
  } catch {
    return 'a folder above it belongs to another user';
  }
}

/** Hidden files and lost+found belong to the system. */
function refuseForeign(dataDir: string): void {
  const names = readdirSync(dataDir).filter((name) => !name.startsWith('.') && name !== 'lost+found');
  if (names.length === 0 || names.some((name) => ourNames.has(name))) return;
  const more = names.length > shownNames ? `, and ${names.length - shownNames} more` : '';
  throw new DataFolderError(
    `The data folder ${path.resolve(dataDir)} has other files (${names.slice(0, shownNames).join(', ')}${more}) and none of Gatelog's. ` +
      'Set GATELOG_DATA_DIR to a folder that is empty or does not exist yet.',
  );
}

/** Whether the folder has records, or spooled exchanges that become some: then its metadata must be there too. */
export function hasRecords(dataDir: string): boolean {
  return ['clickhouse', 'dead-letters', 'spool'].some((name) => {
    const folder = path.join(dataDir, name);
    return (
      existsSync(folder) &&
      readdirSync(folder).some((entry) => !entry.startsWith('.') && !entry.endsWith('.lock') && !entry.endsWith('.holder'))
    );
  });
}

export function lostMetadata(dataDir: string): Error {
  const folder = path.resolve(dataDir);
  return new DataFolderError(
    `${path.join(folder, metadataFileName)} is missing or empty, but the folder has records whose organisations and keys are in that file. ` +
      'Put it back, or restore a backup: move this folder away and run "gatelog restore FOLDER". ' +
      'To start a new deployment that cannot read the old records, run "gatelog serve --new-metadata".',
  );
}
