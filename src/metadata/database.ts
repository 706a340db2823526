import { closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import { Kysely, sql, type Compilable } from 'kysely';
import Sqlite from 'libsql';
import { ensureFolder } from '../platform/files.ts';
import { messageOf } from '../model/errors.ts';
import { asUnavailable, BusyRetry, RetryingSqliteDialect } from './lock-waits.ts';
import type { MetadataTables } from './schema.ts';

/**
 * `core`: what is written is on the disk when the write returns (`synchronous = FULL`). `gateway`: it survives the death of the process, a
 * power loss may take the last of it (`synchronous = NORMAL`), and no write waits for the disk.
 */
export type MetadataMode = 'core' | 'gateway';

/** Rows of a statement that was compiled and prepared once; a run takes microseconds and blocks the thread for them. */
export interface PreparedStatement<Row> {
  readonly first: (...parameters: readonly (string | number)[]) => Row | undefined;
  readonly all: (...parameters: readonly (string | number)[]) => readonly Row[];
  /** Runs a statement that writes. @returns how many rows changed. @throws GatelogError `metadata_unavailable` when another process writes for long. */
  readonly change: (...parameters: readonly (string | number)[]) => number;
}

/** What the repositories need: the tables, inside a transaction or not. */
export interface MetadataQueries {
  readonly queries: Kysely<MetadataTables>;
}

/** An open metadata database: SQLite beside other processes that have the same file open. */
export interface MetadataDatabase extends MetadataQueries {
  /**
   * Prepares a query for the hot path: a key is looked up in 7 µs, where Kysely, which compiles and prepares anew every time, took 79 µs.
   * The values in the query only hold places; each run gives its own, in the order of the SQL.
   * TRICKY: it shares Kysely's connection. While a transaction is open on it, a prepared statement takes part in that transaction.
   */
  readonly prepare: <Row>(query: Compilable<Row>) => PreparedStatement<Row>;
  readonly close: () => Promise<void>;
}

/** Name of the file in a data folder. */
export const metadataFileName = 'metadata.db';
/** How long the opening waits for another process's write before it fails. */
const openingWaitMs = 5000;

/** Whether a data folder has a metadata database already. */
export function hasMetadata(dataDir: string): boolean {
  return existsSync(path.join(dataDir, metadataFileName));
}

/**
 * Opens `<dataDir>/metadata.db` and makes the folder and the file, mode 0600, where they are missing. The tables come from `migrateMetadata`.
 * @throws with the file's name when it cannot be opened or is no database.
 */
export function openMetadata(dataDir: string, mode: MetadataMode): MetadataDatabase {
  ensureFolder(dataDir);
  const connection = connect(path.join(dataDir, metadataFileName), mode);
  const waits = new BusyRetry(connection);
  const queries = new Kysely<MetadataTables>({ dialect: new RetryingSqliteDialect(connection, waits) });
  return {
    queries,
    prepare: (query) => prepareOn(connection, waits, query.compile().sql),
    close: async () => {
      await queries.destroy();
      // Kysely closes a connection only after its first query.
      if (connection.open) connection.close();
    },
  };
}

function connect(file: string, mode: MetadataMode): Sqlite.Database {
  let connection: Sqlite.Database | undefined;
  try {
    closeSync(openSync(file, 'a', 0o600));
    connection = new Sqlite(file, { timeout: openingWaitMs });
    useWriteAheadLog(connection);
    connection.exec(`PRAGMA synchronous = ${mode === 'core' ? 'FULL' : 'NORMAL'}`);
    connection.exec('PRAGMA foreign_keys = ON');
    // What is deleted is overwritten, as erased users are among it.
    if (mode === 'core') connection.exec('PRAGMA secure_delete = ON');
    return connection;
  } catch (error) {
    connection?.close();
    throw new Error(`The metadata database ${file} cannot be opened: ${messageOf(error)}`, { cause: error });
  }
}

/** Whether the database takes writes now. Rejects, after some seconds of waiting, when another process writes all the time. */
export async function takesWrites(database: MetadataQueries): Promise<boolean> {
  return inWriteTransaction(database, async () => true);
}

/**
 * Runs `work` in a transaction that holds the write lock from its beginning, so that what it reads cannot change before it writes, in this
 * process or another. Kysely's own transactions begin without that lock and fail when another process writes first.
 * Dialect: Postgres wants `begin` and an advisory lock here.
 */
export async function inWriteTransaction<T>(database: MetadataQueries, work: (transaction: MetadataQueries) => Promise<T>): Promise<T> {
  return database.queries.connection().execute(async (queries) => {
    await sql`begin immediate`.execute(queries);
    try {
      const result = await work({ queries });
      await sql`commit`.execute(queries);
      return result;
    } catch (error) {
      await sql`rollback`.execute(queries);
      throw error;
    }
  });
}

function prepareOn<Row>(connection: Sqlite.Database, waits: BusyRetry, sqlText: string): PreparedStatement<Row> {
  const statement = connection.prepare(sqlText);
  return {
    first: (...parameters) => statement.get(...parameters) as Row | undefined,
    all: (...parameters) => statement.all(...parameters) as Row[],
    change: (...parameters) => {
      try {
        const { changes } = statement.run(...parameters);
        waits.wrote();
        return changes;
      } catch (error) {
        // Not tried again: a call is waiting.
        waits.isWorthAnotherTry(error);
        throw asUnavailable(error);
      }
    },
  };
}

/**
 * TRICKY: the change to the write-ahead log needs the file for itself, and SQLite does not wait for that by its busy timeout when two processes
 * try at once, so a refused attempt is repeated. The mode stays in the file: only the very first opening ever waits here.
 */
function useWriteAheadLog(connection: Sqlite.Database): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let attemptsLeft = 200; ; attemptsLeft -= 1) {
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (attemptsLeft === 0 || !/locked|busy/i.test(String(error))) throw error;
      Atomics.wait(pause, 0, 0, 25);
    }
  }
}
