import { readdirSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ensureFolder } from '../../platform/files.ts';

/** Characters that the engine reads as a file pattern or as a file in an archive. */
const pattern = /[*?{}]|::/;

/**
 * Files that pass rows to the embedded engine, one per insert. They are never synced: after a crash the spool still has the records, and
 * changes were not acknowledged. The next start deletes them.
 */
export class RowFiles {
  private readonly folder: string;
  private made = 0;

  /**
   * @param folder of this process alone; its content is deleted. @throws Error for a path that the engine would misread: it would read
   * nothing and report success.
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

  /** Lets `read` read rows from a file. @throws the system's error when the file cannot be written; `read` has not run then. */
  async with<Result>(rows: readonly Uint8Array[], read: (file: string) => Promise<Result>): Promise<Result> {
    this.made += 1;
    const file = path.join(this.folder, `${this.made}.rows`);
    try {
      await writeFile(file, rows, { mode: 0o600 });
      return await read(file);
    } finally {
      // The result is known by now, and the next start deletes the rest.
      await rm(file, { force: true }).catch(() => undefined);
    }
  }
}
