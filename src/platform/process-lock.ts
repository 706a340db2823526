import { writeFileSync } from 'node:fs';
import Database from 'libsql';
import { readFileIfPresent } from './files.ts';

/** Nothing is ever written, so no journal is wanted beside the file. */
const lockStatements = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE';

/** A held lock. It also ends with the process, however that ends. */
export interface ProcessLock {
  readonly release: () => void;
}

/**
 * Takes an exclusive lock that the kernel gives back when the holder dies, kill -9 included: an open write transaction on a tiny SQLite file,
 * since Node itself offers no file locks. Works between processes and within one.
 * @param file path of the lock file; beside it `<file>.holder` names the holder for people.
 * @param holder text that says who holds it, e.g. `core, pid 123`.
 * @returns the lock, or who holds it.
 */
export function takeLock(file: string, holder: string): ProcessLock | { readonly heldBy: string } {
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec(lockStatements);
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    return { heldBy: readFileIfPresent(`${file}.holder`)?.trim() ?? 'another process' };
  }
  writeFileSync(`${file}.holder`, `${holder}\n`, { mode: 0o600 });
  let released = false;
  return {
    release: () => {
      if (released) return;
      released = true;
      database.close();
    },
  };
}

/** True when somebody holds the lock. */
export function isLocked(file: string): boolean {
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec(lockStatements);
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /busy|locked/i.test(`${String((error as { code?: unknown }).code)} ${error.message}`);
}
