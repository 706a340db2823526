import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, sql, type Compilable } from 'kysely';
import Sqlite from 'libsql';
import { ensureFolder } from '../files.ts';
import { messageOf } from '../../model/errors.ts';
import { asUnavailable, BusyRetry, type DatabaseName, RetryingSqliteDialect } from './lock-waits.ts';
import { LogSync } from './log-sync.ts';

/**
 * `core`: a write is on disk when it returns (`synchronous = FULL`, or {@link LogSync} after a transaction). `gateway`: it survives the death of the process; a power loss may
 * take the latest (`synchronous = NORMAL`), and no write waits for the disk.
 */
export type SqliteMode = 'core' | 'gateway';

/** A statement that was compiled and prepared once; a run takes microseconds and blocks the thread. */
export interface PreparedStatement<Row> {
  readonly first: (...parameters: readonly (string | number | null)[]) => Row | undefined;
  readonly all: (...parameters: readonly (string | number | null)[]) => readonly Row[];
  /**
   * Runs a writing statement. @returns the number of changed rows. @throws GatelogError when another process holds the write lock for
   * long.
   */
  readonly change: (...parameters: readonly (string | number | null)[]) => number;
}

/** The tables, inside a transaction or not. */
export interface SqliteQueries<Tables> {
  readonly queries: Kysely<Tables>;
}

/** An open database, shared with other processes. */
export interface SqliteDatabase<Tables> extends SqliteQueries<Tables> {
  /**
   * Prepares a query for the hot path: a key look-up takes 7 µs, and 79 µs through Kysely, which compiles and prepares each time. The
   * query's values are placeholders; each run passes its own, in the order of the SQL. TRICKY: it shares Kysely's connection, so it takes
   * part in an open transaction there.
   */
  readonly prepare: <Row>(query: Compilable<Row>) => PreparedStatement<Row>;
  readonly close: () => Promise<void>;
}

/** How long opening waits for another process's write, milliseconds. */
const openingWaitMs = 30_000;

export interface SqliteFile extends DatabaseName {
  readonly path: string;
}

/**
 * Opens a database, creating its folder and file (mode 0600) where they are missing. @throws with the file's name when it cannot be opened
 * or is no database.
 */
export function openSqlite<Tables>(file: SqliteFile, mode: SqliteMode): SqliteDatabase<Tables> {
  ensureFolder(path.dirname(file.path));
  const connection = connect(file, mode);
  const waits = new BusyRetry(connection, file);
  const log = mode === 'core' ? new LogSync(file.path) : undefined;
  const queries = new Kysely<Tables>({ dialect: new RetryingSqliteDialect(connection, waits, log) });
  return {
    queries,
    prepare: (query) => prepareOn(connection, waits, query.compile().sql),
    close: async () => {
      await queries.destroy();
      // Kysely closes a connection only after its first query.
      if (connection.open) connection.close();
      await log?.close();
    },
  };
}

function connect({ path: file, name }: SqliteFile, mode: SqliteMode): Sqlite.Database {
  let connection: Sqlite.Database | undefined;
  try {
    closeSync(openSync(file, 'a', 0o600));
    connection = new Sqlite(file, { timeout: openingWaitMs });
    useWriteAheadLog(connection);
    connection.exec(`PRAGMA synchronous = ${mode === 'core' ? 'FULL' : 'NORMAL'}`);
    connection.exec('PRAGMA foreign_keys = ON');
    // Deleted rows are overwritten, because names of erased users are among them.
    if (mode === 'core') connection.exec('PRAGMA secure_delete = ON');
    return connection;
  } catch (error) {
    connection?.close();
    throw new Error(`The ${name} ${file} cannot be opened: ${messageOf(error)}`, { cause: error });
  }
}

/** Whether the database accepts writes. Rejects after some seconds when another process writes all the time. */
export async function takesWrites<Tables>(database: SqliteQueries<Tables>): Promise<boolean> {
  return inWriteTransaction(database, async () => true);
}

/**
 * Runs `work` in a transaction that takes the write lock at its start, so that rows it reads cannot change before it writes. Kysely's own
 * transactions start without the lock and fail when another process writes first. Dialect: Postgres wants `begin` and an advisory lock
 * here.
 */
export async function inWriteTransaction<T, Tables>(
  database: SqliteQueries<Tables>,
  work: (transaction: SqliteQueries<Tables>) => Promise<T>,
): Promise<T> {
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

const maxCheckpoints = 3;
const checkpointPauseMs = 50;

/**
 * Empties the write-ahead log, which still holds deleted rows. It needs a moment without readers. Dialect: Postgres does so by itself,
 * some time later. @throws when there is none: the log is still full then.
 */
export async function emptyLog<Tables>({ queries }: SqliteQueries<Tables>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { rows } = await sql<{ readonly busy: number }>`pragma wal_checkpoint(truncate)`.execute(queries);
    if (rows.every(({ busy }) => busy === 0)) return;
    if (tries === maxCheckpoints) throw new Error('something reads in the database all the time');
    await wait(checkpointPauseMs);
  }
}

function prepareOn<Row>(connection: Sqlite.Database, waits: BusyRetry, sqlText: string): PreparedStatement<Row> {
  const statement = connection.prepare(sqlText);
  return {
    first: (...parameters) => statement.get(...parameters) as Row | undefined,
    all: (...parameters) => statement.all(...parameters) as Row[],
    change: (...parameters) => {
      try {
        const { changes } = statement.run(...parameters);
        waits.writeSucceeded();
        return changes;
      } catch (error) {
        // Not retried: a call is waiting.
        waits.shouldRetry(error);
        throw asUnavailable(error, waits.database);
      }
    },
  };
}

/**
 * TRICKY: switching to the write-ahead log needs the file exclusively, and SQLite's busy timeout does not cover that, so a refused attempt
 * is repeated. The mode stays in the file: only the very first opening ever waits here.
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
