import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../../platform/files.ts';

/**
 * Brings parts of the embedded engine to the disk. It does so itself with what it writes now, and did not with what it merged under an earlier schema.
 * @param folders of the parts; one that is gone meanwhile is passed over.
 */
export async function syncParts(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      // At once, so that the disk may write several with one effort.
      await Promise.all((await readdir(folder)).map((name) => syncPath(path.join(folder, name))));
      await syncPath(folder);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
}

async function syncPath(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
