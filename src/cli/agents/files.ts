import { chmodSync, existsSync, lstatSync, readFileSync, realpathSync, rmdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { ensureFolder, isMissing, permissionsOf, replaceFile } from '../../platform/files.ts';
import { CommandError } from '../base/dependencies.ts';
import type { ChangedFile } from './record.ts';

/** An agent's settings are short; another file is no such file. */
const maxBytes = 4 * 1024 * 1024;

/** @returns undefined without a file. @throws CommandError for what is no file, too large or no UTF-8. */
export function bytesOf(file: string): Buffer | undefined {
  try {
    if (!statSync(file).isFile()) throw new CommandError(`${file} is no file.`);
    const bytes = readFileSync(file);
    if (bytes.length > maxBytes) throw new CommandError(`${file} has more than ${maxBytes} bytes.`);
    return bytes;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const mark = '\u{feff}';

/** A file's text without a byte order mark, which {@link bytesFrom} puts back. @throws CommandError for bytes that are no UTF-8. */
export function textFrom(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(`${file} is not UTF-8. Write the settings by hand.`);
  }
}

/** @param like the bytes that the text was read from. */
export function bytesFrom(text: string, like: Buffer | undefined): Buffer {
  return Buffer.from((like?.toString('utf8').startsWith(mark) === true ? mark : '') + text);
}

/** Folders that a file needs and that are not there, outermost first. */
export function missingFolders(file: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = path.dirname(file); !existsSync(folder); folder = path.dirname(folder)) folders.unshift(folder);
  return folders;
}

/** Replaces a file atomically; where it is a link, the file that the link leads to. It gets mode 0600. */
export function writePrivate(file: string, bytes: Buffer): void {
  ensureFolder(path.dirname(file));
  replaceFile(targetOf(file), bytes);
}

/** Gives a file the bytes and the mode that it had, or removes it, and the empty folders that were made for it. */
export function putBack({ path: file, before, modeBefore, madeFolders }: ChangedFile): void {
  if (before === null) {
    rmSync(file, { force: true });
    for (const folder of madeFolders.toReversed()) removeEmpty(folder);
    return;
  }
  replaceFile(targetOf(file), Buffer.from(before, 'base64'));
  if (modeBefore !== null) chmodSync(file, modeBefore);
}

/** Permission bits; null without a file. */
export function modeOf(file: string): number | null {
  return existsSync(file) ? permissionsOf(file) : null;
}

/** @throws CommandError for a link that leads to nothing. */
function targetOf(file: string): string {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isSymbolicLink() === true && !existsSync(file)) {
    throw new CommandError(`${file} is a link to nothing. Remove it, or make its file.`);
  }
  return found === undefined ? file : realpathSync(file);
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It holds what the agent has written meanwhile.
  }
}
