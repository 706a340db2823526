import { existsSync, writeFileSync } from 'node:fs';
import Database from 'libsql';
import { isSystemError, readFileIfPresent } from './files.ts';

/** The transaction never writes, so the file needs no journal beside it. */
const exclusiveStatements = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE';
/** A check holds a shared lock for an instant; a taker waits for it. */
const takeTimeoutMs = 100;

/** TRICKY: the garbage collector closes an unreferenced database and releases its lock. */
const heldDatabases = new Set<Database.Database>();

/** A held lock. It also ends with the process, however that ends. */
export interface ProcessLock {
  readonly release: () => void;
}

/**
 * Takes an exclusive lock that the kernel releases when the holder dies, kill -9 included: an open write transaction on a tiny SQLite
 * file, because Node offers no file locks. Works between processes and within one. TRICKY: a process that opens and closes the file by any
 * other way loses its lock, because POSIX locks belong to the process. @param file path of the lock file; `<file>.holder` beside it names
 * the holder for people. @param holder e.g. `core, pid 123`. @returns the lock, or its holder.
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

/** Whether the lock is held. Creates no file; two concurrent checks do not see each other. */
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

/** The latest holder, for display. */
export function lockHolder(file: string): string {
  const named = readFileIfPresent(`${file}.holder`)?.trim() ?? '';
  return named === '' ? 'another process' : named;
}

/** The lock is valid without its holder's name, which a full disk may prevent. */
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
