// Which files of a data folder hold a text, while the service writes there: a file may go between its listing and its reading.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const looks = 20;

/** What `read` gives, or undefined where the file or the folder has gone. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Every file below a folder. What goes meanwhile is left out. */
export function filesBelow(folder: string): readonly string[] {
  const entries = unlessGone(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(file);
    return entry.isFile() ? [file] : [];
  });
}

/** Which of the texts a file holds; undefined where it has gone. */
const textsIn = (file: string, texts: readonly string[]): readonly string[] | undefined =>
  unlessGone(() => {
    const bytes = readFileSync(file);
    return texts.filter((text) => bytes.includes(text));
  });

/**
 * Files below a folder that hold one of the texts, with the texts that each holds.
 * A file that has gone may have been renamed to one that was not listed, so the folder is looked through again until nothing goes.
 */
export function filesHolding(folder: string, ...texts: readonly string[]): ReadonlyMap<string, readonly string[]> {
  for (let look = 1; look <= looks; look += 1) {
    const found = new Map<string, readonly string[]>();
    let gone = 0;
    for (const file of filesBelow(folder)) {
      const held = textsIn(file, texts);
      if (held === undefined) gone += 1;
      else if (held.length > 0) found.set(file, held);
    }
    if (gone === 0) return found;
  }
  throw new Error(`files of ${folder} went during each of ${looks} looks through it`);
}
