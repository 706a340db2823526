import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from '../../platform/files.ts';

/**
 * Syncs parts of the embedded engine. It syncs its own writes now, but did not sync merges under an earlier schema.
 * @param folders of parts; missing ones are skipped.
 */
export async function syncParts(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    try {
      // Concurrently, so that the disk can combine writes.
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
