import path from 'node:path';
import { copySqlite } from '../platform/sqlite/copy.ts';
import { auditFileName } from './database.ts';

/**
 * Copies a consistent snapshot of the audit log, off this thread. @param file that does not exist yet. @returns the names of its
 * migrations. @throws when the disk or the database fails.
 */
export async function copyAudit(dataDir: string, file: string): Promise<readonly string[]> {
  return copySqlite(path.join(dataDir, auditFileName), file);
}
