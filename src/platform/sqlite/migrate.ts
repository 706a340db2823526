import { type Kysely, sql } from 'kysely';
import { inWriteTransaction, type SqliteQueries } from './database.ts';

/**
 * One numbered step of a schema, in the common subset of SQLite and Postgres: text, integer and bigint columns, plain indexes. A step that
 * was released is never changed again.
 */
export interface Migration<Tables> {
  /** Four digits and words; its own identity in `schema_migrations`. */
  readonly name: string;
  readonly apply: (queries: Kysely<Tables>) => Promise<void>;
}

/** The table that holds the applied steps. */
export interface MigratedTables {
  readonly schema_migrations: { name: string; applied_at: number };
}

/** A schema's steps in the order of application, and the database's name in sentences. */
export interface Schema<Tables> {
  readonly name: string;
  readonly migrations: readonly Migration<Tables>[];
}

/**
 * Migrates the tables. Concurrent processes are safe: all steps run in one transaction under the write lock, so one process applies them.
 * @param now Unix milliseconds. @returns the applied steps. @throws when a newer version wrote the file; nothing is changed then.
 */
export async function migrateSqlite<Tables extends MigratedTables>(
  database: SqliteQueries<Tables>,
  schema: Schema<Tables>,
  now: () => number,
): Promise<readonly string[]> {
  // A process that finds the tables current writes nothing, so it starts while another one holds the write lock.
  if (await isUpToDate(database, schema)) return [];
  return inWriteTransaction(database, async ({ queries }) => {
    await queries.schema
      .createTable('schema_migrations')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute();
    const missing = missingFrom(await appliedSteps(queries), schema);
    for (const migration of missing) {
      await migration.apply(queries);
      await stepsOf(queries).insertInto('schema_migrations').values({ name: migration.name, applied_at: now() }).execute();
    }
    return missing.map(({ name }) => name);
  });
}

async function isUpToDate<Tables extends MigratedTables>({ queries }: SqliteQueries<Tables>, schema: Schema<Tables>): Promise<boolean> {
  // Dialect: Postgres has `to_regclass` for this.
  const { rows } = await sql`select name from sqlite_schema where type = 'table' and name = 'schema_migrations'`.execute(queries);
  return rows.length > 0 && missingFrom(await appliedSteps(queries), schema).length === 0;
}

async function appliedSteps<Tables extends MigratedTables>(queries: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const rows = await stepsOf(queries).selectFrom('schema_migrations').select('name').execute();
  return new Set(rows.map(({ name }) => name));
}

/** TRICKY: Kysely infers nothing of tables that are a parameter. */
function stepsOf<Tables extends MigratedTables>(queries: Kysely<Tables>): Kysely<MigratedTables> {
  return queries as unknown as Kysely<MigratedTables>;
}

function missingFrom<Tables>(applied: ReadonlySet<string>, { name, migrations }: Schema<Tables>): readonly Migration<Tables>[] {
  const missing = migrations.filter((migration) => !applied.has(migration.name));
  if (applied.size + missing.length > migrations.length) {
    throw new Error(`The ${name} was written by a newer version of Gatelog; start that version, or another data folder.`);
  }
  return missing;
}
