import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import type { Observe } from '../model/observation.ts';
import { type HasFreeSpace, makeHasFreeSpace } from '../platform/disk-space.ts';
import { ensureFolder } from '../platform/files.ts';
import { stateFile } from './state-files.ts';

/**
 * Bytes that the state leaves free on its disk. TRICKY: LMDB's binding may corrupt its heap when one of its own writes fails for lack of
 * space, so no write begins below this. It must exceed what others can write during one small transaction.
 */
const spareBytes = 16 * 1024 * 1024;

/** Key-value tables that several processes of one machine read and change at once. */
export class LmdbEnvironment {
  private readonly database: RootDatabase<unknown, string[]>;
  /** Whether the disk has space for {@link write}. */
  readonly hasFreeSpace: HasFreeSpace;

  constructor(database: RootDatabase<unknown, string[]>, hasFreeSpace: HasFreeSpace) {
    this.database = database;
    this.hasFreeSpace = hasFreeSpace;
  }

  /** Created if missing. */
  table<Value, EntryKey extends Key>(name: string): Database<Value, EntryKey> {
    return this.database.openDB<Value, EntryKey>({ name });
  }

  /** Runs work in one transaction, which excludes every other process. @throws while the disk lacks space, before any change. */
  write<Result>(work: () => Result): Result {
    if (!this.hasFreeSpace()) throw new Error(noSpace);
    return this.database.transactionSync(work);
  }

  async close(): Promise<void> {
    await this.database.close();
  }
}

const noSpace = `less than ${spareBytes} bytes are free on the disk of the shared state`;

/**
 * Opens the small state that the workers of one machine share: a memory-mapped file.
 *
 * Invariant: it survives the death of any process, because the kernel holds the written pages. TRICKY: nothing is synced, so a power loss
 * may damage it silently. So each boot has a file of its own and removes the earlier ones, which is reported: cached responses and the
 * counts of running windows may be lost.
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
  if (others.some((other) => other.endsWith('.mdb'))) observe({ kind: 'state_discarded', reason: 'the machine was started anew' });
  return new LmdbEnvironment(open(file, { mapSize: mapBytes, maxDbs: 16, noSync: true, noSubdir: true }), hasFreeSpace);
}
