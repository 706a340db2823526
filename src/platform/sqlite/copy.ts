import Sqlite from 'libsql/promise';

/** How long a statement waits for another process's write, milliseconds. */
const busyTimeoutMs = 5000;

/** A copy that is not in use yet. */
export interface SqliteCopy {
  readonly exec: (statement: string) => Promise<void>;
  readonly rows: <Row>(query: string) => Promise<readonly Row[]>;
}

/**
 * Copies a consistent snapshot of a database while others write it, off this thread. @param to a file that does not exist yet.
 * @param prepare removes from the copy what it shall not hold; what it deletes is overwritten.
 * @returns the names of the migrations of the copy. @throws when the disk or the database fails.
 */
export async function copySqlite(
  from: string,
  to: string,
  prepare: (copy: SqliteCopy) => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  await using(from, ({ exec }) => exec(`VACUUM INTO '${to.replaceAll("'", "''")}'`));
  return using(to, async (copy) => {
    await copy.exec('PRAGMA journal_mode = DELETE; PRAGMA secure_delete = ON');
    await prepare(copy);
    const steps = await copy.rows<{ readonly name: string }>('SELECT name FROM schema_migrations ORDER BY name');
    return steps.map(({ name }) => name);
  });
}

async function using<Result>(file: string, work: (database: SqliteCopy) => Promise<Result>): Promise<Result> {
  const database = new Sqlite(file, { timeout: busyTimeoutMs });
  try {
    return await work({
      exec: async (statement) => {
        await database.exec(statement);
      },
      rows: async <Row>(query: string) => {
        const statement = (await database.prepare(query)) as { readonly all: () => Promise<readonly Row[]> };
        return statement.all();
      },
    });
  } finally {
    database.close();
  }
}
