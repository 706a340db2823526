import { existsSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'libsql';
import { metadataFileName } from './metadata-file.ts';
import { metadataSteps } from './steps.ts';

/**
 * Whether the metadata database needs nothing before a start: its tables are those of this program and an organisation exists. Creates no
 * file and waits for nobody. False also where it cannot be read: whoever prepares it tells why.
 */
export function isMetadataPrepared(dataDir: string): boolean {
  const file = path.join(dataDir, metadataFileName);
  if (!existsSync(file)) return false;
  let database: Sqlite.Database | undefined;
  try {
    database = new Sqlite(file, { timeout: 0 });
    const applied = database.prepare('SELECT name FROM schema_migrations ORDER BY name').all() as readonly { readonly name: string }[];
    const isCurrent = applied.length === metadataSteps.length && applied.every(({ name }) => metadataSteps.includes(name));
    return isCurrent && database.prepare('SELECT 1 FROM organizations LIMIT 1').get() !== undefined;
  } catch {
    return false;
  } finally {
    database?.close();
  }
}
