// Finds files of a data folder that contain a text while the service writes there: a file may disappear between listing and reading.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const maxSearches = 20;

/** Undefined when the file or folder has disappeared. */
function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Every file below a folder, without those that disappear meanwhile. */
export function filesBelow(folder: string): readonly string[] {
  const entries = unlessMissing(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(file);
    return entry.isFile() ? [file] : [];
  });
}

/** The texts that a file contains; undefined when the file has disappeared. */
const textsIn = (file: string, texts: readonly string[]): readonly string[] | undefined =>
  unlessMissing(() => {
    const bytes = readFileSync(file);
    return texts.filter((text) => bytes.includes(text));
  });

/**
 * Files below a folder that contain one of the texts, with these texts. A file that has disappeared may have been renamed to one that was
 * not listed, so the search repeats until no file disappears.
 */
export function filesHolding(folder: string, ...texts: readonly string[]): ReadonlyMap<string, readonly string[]> {
  for (let search = 1; search <= maxSearches; search += 1) {
    const found = new Map<string, readonly string[]>();
    let disappeared = 0;
    for (const file of filesBelow(folder)) {
      const contained = textsIn(file, texts);
      if (contained === undefined) disappeared += 1;
      else if (contained.length > 0) found.set(file, contained);
    }
    if (disappeared === 0) return found;
  }
  throw new Error(`files of ${folder} disappeared during each of ${maxSearches} searches`);
}
