import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { type CompiledQuery, type DatabaseConnection, type Driver, type QueryResult, SqliteDialect, SqliteDriver } from 'kysely';
import type Sqlite from 'libsql';
import { type ErrorCode, GatelogError } from '../../model/errors.ts';
import type { LogSync } from './log-sync.ts';

/** How long one attempt blocks its thread, milliseconds; a write takes about one. */
const blockingMs = 250;
/** How long a statement is retried without blocking, and the interval, milliseconds. */
const maxWaitMs = 5000;
const retryIntervalMs = 10;
/** Statements that take so long together, without a turn of the event loop between, let others go first. */
const sliceMs = 5;

/** Failures of the database, not of the statement: a retry may succeed. */
const ofDatabase = /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|FULL|READONLY|PROTOCOL|CORRUPT|NOTADB)/;

/**
 * Waits for writes of other processes. A statement waits for a short write in place, which blocks the thread. After a longer one no
 * statement blocks until a write succeeds: a lock that is never released must not stop a process that carries calls.
 */
export class BusyRetry {
  readonly database: DatabaseName;
  private readonly connection: Sqlite.Database;
  private contention: { readonly since: number; latest: number } | undefined;

  constructor(connection: Sqlite.Database, database: DatabaseName) {
    this.connection = connection;
    this.database = database;
    this.block(blockingMs);
  }

  /** Call after a successful write: statements may block again. */
  writeSucceeded(): void {
    if (this.contention === undefined) return;
    this.contention = undefined;
    this.block(blockingMs);
  }

  /** @returns whether another process's write made a statement fail, and it has not lasted too long yet. */
  shouldRetry(error: unknown): boolean {
    if (!/^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))) return false;
    const now = performance.now();
    if (this.contention === undefined) this.block(0);
    // An old failure was caused by another lock.
    if (this.contention === undefined || now - this.contention.latest > maxWaitMs) this.contention = { since: now, latest: now };
    this.contention.latest = now;
    return now - this.contention.since < maxWaitMs;
  }

  unavailable(cause: unknown): GatelogError {
    return unavailable(this.database, cause);
  }

  private block(maxMs: number): void {
    this.connection.exec(`PRAGMA busy_timeout = ${maxMs}`);
  }
}

/** How people and callers know a database. */
export interface DatabaseName {
  /** In sentences: `metadata database`. */
  readonly name: string;
  /** The error of a database that cannot be read or written. */
  readonly unavailable: ErrorCode;
}

/** The database's own error when it cannot be read or written, else the error itself. */
export function asUnavailable(error: unknown, database: DatabaseName): unknown {
  return ofDatabase.test(codeOf(error)) ? unavailable(database, error) : error;
}

function unavailable({ name, unavailable: code }: DatabaseName, cause: unknown): GatelogError {
  return new GatelogError(code, `The ${name} cannot be used at the moment; try again shortly.`, { cause });
}

/** Kysely's SQLite dialect with {@link BusyRetry}. With a log, each transaction waits until it is on the disk, without blocking the thread. */
export class RetryingSqliteDialect extends SqliteDialect {
  private readonly connection: Sqlite.Database;
  private readonly waits: BusyRetry;
  private readonly log: LogSync | undefined;

  constructor(connection: Sqlite.Database, waits: BusyRetry, log: LogSync | undefined) {
    super({ database: connection });
    this.connection = connection;
    this.waits = waits;
    this.log = log;
  }

  override createDriver(): Driver {
    return new RetryingDriver(this.connection, this.waits, this.log);
  }
}

const writes: ReadonlySet<string> = new Set(['InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'MergeQueryNode']);

/**
 * TRICKY: a prepared statement that finds the database locked stays unfinished until it is garbage collected, and blocks every commit on
 * its connection. So the lock is taken by executing a text, which leaves nothing behind; prepared statements then run under the lock.
 */
class RetryingDriver extends SqliteDriver {
  private readonly connection: Sqlite.Database;
  private readonly waits: BusyRetry;
  private readonly log: LogSync | undefined;
  private spentMs = 0;
  private hasCommitted = false;

  constructor(connection: Sqlite.Database, waits: BusyRetry, log: LogSync | undefined) {
    super({ database: connection });
    this.connection = connection;
    this.waits = waits;
    this.log = log;
  }

  /**
   * TRICKY: statements run on this thread, so that hundreds of transactions in a row, each of which waits for the disk, would hold up
   * everybody's calls. Only between transactions: a prepared statement of another caller takes part in an open one.
   */
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    if (this.spentMs > sliceMs) await nextTurn();
    return {
      executeQuery: (query) => this.timed(() => this.execute(connection, query)),
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    };
  }

  /** The next transaction need not wait for the disk. @throws GatelogError where what was committed may not be on it. */
  override async releaseConnection(): Promise<void> {
    const { hasCommitted } = this;
    this.hasCommitted = false;
    await super.releaseConnection();
    if (!hasCommitted) return;
    try {
      await this.log?.synced();
    } catch (error) {
      throw this.waits.unavailable(error);
    }
  }

  private async execute<Row>(connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<Row>> {
    const run = (): Promise<QueryResult<Row>> => connection.executeQuery<Row>(query);
    if (/^begin\b/i.test(query.sql)) {
      await this.begin(query.sql);
      this.waits.writeSucceeded();
      return { rows: [] };
    }
    if (/^(commit|rollback)\b/i.test(query.sql)) {
      await this.withRetry(async () => this.end(query.sql));
      return { rows: [] };
    }
    if (writes.has(query.query.kind) && !this.connection.inTransaction) return this.inNewTransaction(run);
    const result = await this.withRetry(run);
    if (query.query.kind !== 'SelectQueryNode') this.waits.writeSucceeded();
    return result;
  }

  private async timed<Result>(run: () => Promise<Result>): Promise<Result> {
    const since = performance.now();
    try {
      return await run();
    } finally {
      if (this.spentMs === 0) setImmediate(() => (this.spentMs = 0));
      this.spentMs += performance.now() - since;
    }
  }

  private async inNewTransaction<Result>(run: () => Promise<Result>): Promise<Result> {
    await this.begin('BEGIN IMMEDIATE');
    try {
      const result = await run();
      this.end('COMMIT');
      this.waits.writeSucceeded();
      return result;
    } catch (error) {
      if (this.connection.inTransaction) this.end('ROLLBACK');
      throw asUnavailable(error, this.waits.database);
    }
  }

  /** With a log, the commit itself does not wait for the disk. Statements outside of transactions do, also while a lock is waited for. */
  private async begin(statement: string): Promise<void> {
    await this.withRetry(async () => {
      if (this.log !== undefined) this.connection.exec('PRAGMA synchronous = NORMAL');
      try {
        this.connection.exec(statement);
      } catch (error) {
        if (this.log !== undefined) this.connection.exec('PRAGMA synchronous = FULL');
        throw error;
      }
    });
  }

  private end(statement: string): void {
    this.connection.exec(statement);
    if (this.log === undefined) return;
    this.connection.exec('PRAGMA synchronous = FULL');
    this.hasCommitted ||= /^commit\b/i.test(statement);
  }

  private async withRetry<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!this.waits.shouldRetry(error)) throw asUnavailable(error, this.waits.database);
      }
      await wait(retryIntervalMs);
    }
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
