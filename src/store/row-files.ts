import { rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ensureFolder } from '../platform/files.ts';

/**
 * Files through which rows reach the embedded engine, each for one insert. They are never brought to the disk on purpose: what a crash leaves of them
 * is in the spool as well, and goes at the next start.
 */
export class RowFiles {
  private readonly folder: string;
  private made = 0;

  /** @param folder of this process alone; what is in it goes. */
  constructor(folder: string) {
    rmSync(folder, { recursive: true, force: true });
    ensureFolder(folder);
    this.folder = folder;
  }

  /** Lets `read` read rows from a file. @throws the system's error when it cannot be written; `read` has not run then. */
  async with<Result>(rows: readonly Uint8Array[], read: (file: string) => Promise<Result>): Promise<Result> {
    this.made += 1;
    const file = path.join(this.folder, `${this.made}.rows`);
    try {
      await writeFile(file, rows, { mode: 0o600 });
      return await read(file);
    } finally {
      await rm(file, { force: true });
    }
  }
}
