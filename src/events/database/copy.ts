import path from 'node:path';
import { copySqlite } from '../../platform/sqlite/copy.ts';
import { eventsFileName } from './database.ts';

/**
 * Copies a consistent snapshot of the database of events, off this thread. @param file that does not exist yet.
 * @returns the names of its migrations. @throws when the disk or the database fails.
 */
export async function copyEvents(dataDir: string, file: string): Promise<readonly string[]> {
  return copySqlite(path.join(dataDir, eventsFileName), file);
}
