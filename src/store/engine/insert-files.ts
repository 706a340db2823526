import { readdirSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ensureFolder } from '../../platform/files.ts';

/** What the engine reads as a pattern of file names, or as a file inside of an archive, wherever it stands in a path. */
const pattern = /[*?{}]|::/;

/**
 * Files through which rows reach the embedded engine, each for one insert. They are never brought to the disk on purpose: of what a crash leaves of them,
 * records are in the spool as well, and changes were not acknowledged. It goes when the engine is opened the next time.
 */
export class RowFiles {
  private readonly folder: string;
  private made = 0;

  /**
   * @param folder of this process alone; what is in it goes.
   * @throws Error on a path that the engine would not take as it is: it would read nothing, and say that it has.
   */
  constructor(folder: string) {
    this.folder = path.resolve(folder);
    const found = pattern.exec(this.folder)?.[0];
    if (found !== undefined) {
      throw new Error(
        `The embedded store cannot work in ${this.folder}: its engine takes "${found}" for a pattern. Choose another folder (GATELOG_DATA_DIR).`,
      );
    }
    ensureFolder(this.folder);
    for (const left of readdirSync(this.folder)) rmSync(path.join(this.folder, left), { recursive: true });
  }

  /** Lets `read` read rows from a file. @throws the system's error when it cannot be written; `read` has not run then. */
  async with<Result>(rows: readonly Uint8Array[], read: (file: string) => Promise<Result>): Promise<Result> {
    this.made += 1;
    const file = path.join(this.folder, `${this.made}.rows`);
    try {
      await writeFile(file, rows, { mode: 0o600 });
      return await read(file);
    } finally {
      // What came of the rows is known by now, and the next start removes what is left.
      await rm(file, { force: true }).catch(() => undefined);
    }
  }
}
