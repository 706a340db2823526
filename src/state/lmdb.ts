import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Database, type Key, open, type RootDatabase } from 'lmdb';
import type { Observe } from '../model/observation.ts';
import { type HasFreeSpace, makeHasFreeSpace } from '../platform/disk-space.ts';
import { ensureFolder, readFileIfPresent } from '../platform/files.ts';

/**
 * Bytes of its disk that stay free of the state. TRICKY: LMDB's binding may not survive a write of its own that fails for want of room, it corrupts its
 * heap; so with less than this nothing is begun that writes. It has to be more than others can write while one small transaction runs.
 */
const spareBytes = 16 * 1024 * 1024;

/** Key-value tables that several processes of one machine read and change at once. */
export class LmdbEnvironment {
  private readonly database: RootDatabase<unknown, string[]>;
  /** Whether the disk has room for what {@link write} writes. */
  readonly hasFreeSpace: HasFreeSpace;

  constructor(database: RootDatabase<unknown, string[]>, hasFreeSpace: HasFreeSpace) {
    this.database = database;
    this.hasFreeSpace = hasFreeSpace;
  }

  /** A table, made when it is not there. */
  table<Value, EntryKey extends Key>(name: string): Database<Value, EntryKey> {
    return this.database.openDB<Value, EntryKey>({ name });
  }

  /** Does work that changes tables, as one transaction that no other process is in the middle of. @throws while the disk has no room; nothing has changed then. */
  write<Result>(work: () => Result): Result {
    if (!this.hasFreeSpace()) throw new Error(noRoom);
    return this.database.transactionSync(work);
  }

  async close(): Promise<void> {
    await this.database.close();
  }
}

const noRoom = `less than ${spareBytes} bytes are free on the disk of the shared state`;

/**
 * Opens the small state that the workers of one machine share: a memory-mapped file.
 *
 * Invariant: it survives the death of any process, as the kernel has what was written. TRICKY: nothing is synced to the disk, so a power loss
 * may leave it damaged without a sign. So each boot of the machine has a file of its own and earlier ones are thrown away, which is said: what
 * is in here may be lost then, cached replies and the counts of running windows.
 * @param given whether its disk has room for what it writes; that of its folder with 16 MiB to spare, when not given.
 * @throws while there is no room.
 * @param mapBytes size of the map at the beginning. TRICKY: LMDB's binding makes it larger when more is needed, so each table keeps a limit of its own.
 */
export function openEnvironment(folder: string, mapBytes: number, observe: Observe, given?: HasFreeSpace): LmdbEnvironment {
  ensureFolder(folder);
  const hasFreeSpace = given ?? makeHasFreeSpace(folder, spareBytes);
  if (!hasFreeSpace()) throw new Error(noRoom);
  const file = stateFile(folder);
  const name = path.basename(file);
  const others = readdirSync(folder).filter((other) => other.startsWith('state-') && other !== name && other !== `${name}-lock`);
  for (const other of others) rmSync(path.join(folder, other), { force: true });
  if (others.some((other) => other.endsWith('.mdb'))) observe({ kind: 'state_discarded', reason: 'the machine was started anew' });
  return new LmdbEnvironment(open(file, { mapSize: mapBytes, maxDbs: 16, noSync: true, noSubdir: true }), hasFreeSpace);
}

/** The state of this boot of the machine. */
export function stateFile(folder: string): string {
  return path.join(folder, `state-${readBootId()}.mdb`);
}

/** What a state that cannot be used is kept as; the next one takes its place. */
export function damagedStateFile(folder: string): string {
  return path.join(folder, 'damaged.mdb');
}

/** A copy on which a state is tried; one that is left behind goes as the states of earlier boots do. */
export function stateCopyFile(folder: string): string {
  return path.join(folder, 'state-copy.tmp');
}

/** Linux names each boot. Elsewhere nothing tells one from the next, so all count as one. */
function readBootId(): string {
  const id = process.platform === 'linux' ? readFileIfPresent('/proc/sys/kernel/random/boot_id')?.trim() : undefined;
  return id ?? 'any';
}
