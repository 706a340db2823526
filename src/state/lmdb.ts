import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import type { Observe } from '../model/observation.ts';
import { type HasFreeSpace, makeHasFreeSpace } from '../platform/disk-space.ts';
import { ensureFolder } from '../platform/files.ts';
import { mutexFile, stateFile } from './state-files.ts';

/**
 * Bytes that the state leaves free on its disk. TRICKY: LMDB's binding may corrupt its heap when one of its own writes fails for lack of
 * space, so no write begins below this. It must exceed what others can write during one small transaction.
 */
const spareBytes = 16 * 1024 * 1024;

/** Runs work while no other process does. */
type Exclusively = <Result>(work: () => Result) => Result;

interface EnvironmentParts {
  readonly database: RootDatabase<unknown, string[]>;
  readonly mutex: RootDatabase<unknown, string[]>;
  readonly hasFreeSpace: HasFreeSpace;
}

/** Key-value tables that several processes of one machine read and change at once. */
export class LmdbEnvironment {
  private readonly database: RootDatabase<unknown, string[]>;
  private readonly mutex: RootDatabase<unknown, string[]>;
  private readonly exclusively: Exclusively;
  /** Whether the disk has space for {@link write}. */
  readonly hasFreeSpace: HasFreeSpace;

  constructor({ database, mutex, hasFreeSpace }: EnvironmentParts) {
    this.database = database;
    this.mutex = mutex;
    this.exclusively = exclusivelyWith(mutex);
    this.hasFreeSpace = hasFreeSpace;
  }

  /** Created if missing. */
  table<Value, EntryKey extends Key>(name: string): Database<Value, EntryKey> {
    return this.exclusively(() => this.database.openDB<Value, EntryKey>({ name }));
  }

  /** Runs work in one transaction, which excludes every other process. @throws while the disk lacks space, before any change. */
  write<Result>(work: () => Result): Result {
    if (!this.hasFreeSpace()) throw new Error(noSpace);
    return this.exclusively(() => this.database.transactionSync(work));
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.mutex.close();
  }
}

/**
 * TRICKY: whoever opens an LMDB file tells all its users the number of the last transaction, as read a moment before, and asks for no lock.
 * A transaction that another process commits in that moment (lmdb 3.5.6: in one of some 200 openings) is undone by the next one, or makes
 * it fail. So nobody commits while another one opens: both hold the write lock of a second file, which holds nothing, so that nothing of it
 * can be undone. The kernel gives the lock back when its holder dies.
 */
function exclusivelyWith(mutex: RootDatabase<unknown, string[]>): Exclusively {
  return (work) => mutex.transactionSync(work);
}

const mutexMapBytes = 64 * 1024;
const noSpace = `less than ${spareBytes} bytes are free on the disk of the shared state`;

/**
 * Opens the small state that the workers of one machine share: a memory-mapped file.
 *
 * Invariant: it survives the death of any process, because the kernel holds the written pages. TRICKY: nothing is synced while it is open,
 * so a power loss may damage it silently. So each boot has a file of its own and removes the earlier ones, which is reported: cached responses
 * and the counts of running windows are lost. A stop syncs it for the next boot (`over-boots.ts`).
 * @param mapBytes initial size of the map. TRICKY: LMDB's binding grows it on demand, so each table has a limit of its own.
 * @param hasSpace whether its disk has space; default: 16 MiB are free where the folder is.
 * @throws while the disk lacks space.
 */
export function openEnvironment(folder: string, mapBytes: number, observe: Observe, hasSpace?: HasFreeSpace): LmdbEnvironment {
  ensureFolder(folder);
  const hasFreeSpace = hasSpace ?? makeHasFreeSpace(folder, spareBytes);
  if (!hasFreeSpace()) throw new Error(noSpace);
  const file = stateFile(folder);
  const name = path.basename(file);
  const others = readdirSync(folder).filter((other) => other.startsWith('state-') && other !== name && other !== `${name}-lock`);
  for (const other of others) rmSync(path.join(folder, other), { force: true });
  if (others.some((other) => other.endsWith('.mdb'))) observe({ kind: 'state_discarded', reason: 'the machine went down without a stop' });
  const mutex = open<unknown, string[]>(mutexFile(folder), { mapSize: mutexMapBytes, maxDbs: 1, noSync: true, noSubdir: true });
  const database = exclusivelyWith(mutex)(() =>
    open<unknown, string[]>(file, { mapSize: mapBytes, maxDbs: 16, noSync: true, noSubdir: true }),
  );
  return new LmdbEnvironment({ database, mutex, hasFreeSpace });
}
