import path from 'node:path';
import Sqlite from 'libsql/promise';
import { metadataFileName } from './database.ts';

/** Tables that hold what opens something elsewhere. They are sealed, and leave the machine only when they are asked for. */
const secretTables = ['provider_keys'] as const;
/** How long a statement waits for another process's write, milliseconds. */
const busyTimeoutMs = 5000;

export interface CopyOptions {
  /** Changes that wait for their requests are copied up to this one. */
  readonly lastPendingChange: number;
  readonly secrets: boolean;
}

/** What a copy is. */
export interface MetadataCopy {
  /** Names of the steps of its schema. */
  readonly steps: readonly string[];
  /** Secrets that were left out. */
  readonly secretsLeftOut: number;
}

/**
 * Copies the metadata database as it is at one moment while others write it, off this thread.
 * @param file that does not exist yet. @throws when the disk or the database fails.
 */
export async function copyMetadata(dataDir: string, file: string, { lastPendingChange, secrets }: CopyOptions): Promise<MetadataCopy> {
  await using(path.join(dataDir, metadataFileName), async (database) => {
    await database.exec(`VACUUM INTO '${file.replaceAll("'", "''")}'`);
  });
  return using(file, async (copy) => {
    // What is deleted here is overwritten, not only let go of.
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
