import { existsSync, writeFileSync } from 'node:fs';
import Database from 'libsql';
import { isSystemError, readFileIfPresent } from './files.ts';

/** Nothing is ever written, so no journal is wanted beside the file. */
const exclusiveStatements = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE';
/** Somebody who only looks holds a shared lock for an instant, which a taker waits out. */
const takeTimeoutMs = 100;

/** TRICKY: a database that nobody refers to is closed by the garbage collector, and its lock goes with it. */
const heldDatabases = new Set<Database.Database>();

/** A held lock. It also ends with the process, however that ends. */
export interface ProcessLock {
  readonly release: () => void;
}

/**
 * Takes an exclusive lock that the kernel gives back when the holder dies, kill -9 included: an open write transaction on a tiny SQLite file,
 * since Node itself offers no file locks. Works between processes and within one. TRICKY: a process that opens the file by any other way than
 * this module and closes it again loses its lock, as locks of a process on a file are one.
 * @param file path of the lock file; beside it `<file>.holder` names the holder for people.
 * @param holder text that says who holds it, e.g. `core, pid 123`.
 * @returns the lock, or who holds it.
 */
export function takeLock(file: string, holder: string): ProcessLock | { readonly heldBy: string } {
  const database = new Database(file, { timeout: takeTimeoutMs });
  try {
    database.exec(exclusiveStatements);
  } catch (error) {
    database.close();
    if (isBusy(error)) return { heldBy: lockHolder(file) };
    throw error;
  }
  heldDatabases.add(database);
  nameHolder(file, holder);
  return {
    release: () => {
      if (heldDatabases.delete(database)) database.close();
    },
  };
}

/** True when somebody holds the lock. Makes no file, and two who look do not take each other for the holder. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec('BEGIN; SELECT count(*) FROM sqlite_master');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

/** Who took the lock last, for people. */
export function lockHolder(file: string): string {
  const named = readFileIfPresent(`${file}.holder`)?.trim() ?? '';
  return named === '' ? 'another process' : named;
}

/** The lock stands without its holder's name, which a full disk may not take. */
function nameHolder(file: string, holder: string): void {
  try {
    writeFileSync(`${file}.holder`, `${holder}\n`, { mode: 0o600 });
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

function isBusy(error: unknown): boolean {
  return isSystemError(error) && String(error.code).startsWith('SQLITE_BUSY');
}
