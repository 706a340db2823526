import path from 'node:path';
import Sqlite from 'libsql/promise';
import { metadataFileName } from './metadata-file.ts';

/** Tables with secrets. They are encrypted, and leave the machine only on request. */
const secretTables = ['provider_keys'] as const;
/** How long a statement waits for another process's write, milliseconds. */
const busyTimeoutMs = 5000;

export interface CopyOptions {
  /** Pending changes are copied up to this sequence. */
  readonly lastPendingChange: number;
  readonly secrets: boolean;
}

export interface MetadataCopy {
  /** Names of its migrations. */
  readonly steps: readonly string[];
  /** Number of secrets left out. */
  readonly secretsLeftOut: number;
}

/**
 * Copies a consistent snapshot of the metadata database while others write it, off this thread. @param file that does not exist yet.
 * @throws when the disk or the database fails.
 */
export async function copyMetadata(dataDir: string, file: string, { lastPendingChange, secrets }: CopyOptions): Promise<MetadataCopy> {
  await using(path.join(dataDir, metadataFileName), async (database) => {
    await database.exec(`VACUUM INTO '${file.replaceAll("'", "''")}'`);
  });
  return using(file, async (copy) => {
    // Deleted secrets are overwritten, not only unlinked.
    await copy.exec('PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON');
    await copy.exec(`DELETE FROM pending_changes WHERE seq > ${lastPendingChange}`);
    const secretsLeftOut = secrets ? 0 : await removeSecrets(copy);
    const steps = await rowsOf<{ readonly name: string }>(copy, 'SELECT name FROM schema_migrations ORDER BY name');
    return { steps: steps.map(({ name }) => name), secretsLeftOut };
  });
}

async function removeSecrets(copy: Sqlite): Promise<number> {
  let removed = 0;
  for (const table of secretTables) {
    const known = await rowsOf(copy, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name = '${table}'`);
    if (known.length === 0) continue;
    const [found] = await rowsOf<{ readonly total: number }>(copy, `SELECT count(*) AS total FROM ${table}`);
    removed += found?.total ?? 0;
    await copy.exec(`DELETE FROM ${table}`);
  }
  return removed;
}

async function rowsOf<Row>(database: Sqlite, query: string): Promise<readonly Row[]> {
  const statement = (await database.prepare(query)) as { readonly all: () => Promise<readonly Row[]> };
  return statement.all();
}

async function using<Result>(file: string, work: (database: Sqlite) => Promise<Result>): Promise<Result> {
  const database = new Sqlite(file, { timeout: busyTimeoutMs });
  try {
    return await work(database);
  } finally {
    database.close();
  }
}
