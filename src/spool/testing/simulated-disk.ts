import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import type { SeededRandom } from '../../../test/support/seeded-random.ts';

/** A file as the disk may have it: its name may change, or go, before its content is there. */
interface DiskFile {
  content: Buffer;
  synced: Buffer;
}

/** A name that came to a folder, or went from it, and is not surely on the disk. */
interface NameChange {
  readonly removed?: string;
  readonly added?: { readonly name: string; readonly entry: DiskEntry };
}

interface DiskFolder {
  readonly durable: Map<string, DiskEntry>;
  readonly present: Map<string, DiskEntry>;
  /** Since the last sync of the folder, oldest first. */
  changes: NameChange[];
}

type DiskEntry = DiskFile | DiskFolder;

/** Calls that a recording may leave out, to see whether a missing one is noticed. */
export type SyncCall = 'file' | 'folder';

/**
 * A disk that keeps what was synced and, of the rest, what chance lets it. It watches the calls of `node:fs` that reach below its root; they go on to the real file system.
 * Of a folder the changes of names reach the disk in their order, of a file the bytes; folders and files wait for each other only where they are synced.
 * TRICKY: modules that take functions of `node:fs` apart when they are loaded must be loaded after {@link watchDisk}.
 */
export class WatchedDisk {
  /** A sync of this kind is ignored, as one that was forgotten would be. */
  forgets: SyncCall | undefined;
  private readonly root: string;
  private readonly tree: DiskFolder = newFolder();
  private readonly files = new Map<number, DiskEntry>();

  constructor(root: string) {
    this.root = root;
  }

  opened(descriptor: number, file: string, flags: string | number): void {
    const place = this.placeOf(file);
    if (place === undefined) return;
    const known = place.name === '' ? place.folder : place.folder.present.get(place.name);
    const entry = known ?? { content: Buffer.alloc(0), synced: Buffer.alloc(0) };
    if (known === undefined && typeof flags === 'string' && flags !== 'r') add(place.folder, place.name, entry);
    this.files.set(descriptor, entry);
  }

  closed(descriptor: number): void {
    this.files.delete(descriptor);
  }

  wrote(descriptor: number, bytes: Uint8Array): void {
    const file = this.files.get(descriptor);
    if (file !== undefined && 'content' in file) file.content = Buffer.concat([file.content, bytes]);
  }

  synced(descriptor: number): void {
    const entry = this.files.get(descriptor);
    if (entry === undefined) return;
    if ('content' in entry) {
      if (this.forgets !== 'file') entry.synced = entry.content;
    } else if (this.forgets !== 'folder') {
      for (const change of entry.changes) apply(entry.durable, change);
      entry.changes = [];
    }
  }

  madeFolder(folder: string): void {
    const place = this.placeOf(folder);
    if (place !== undefined && place.name !== '' && !place.folder.present.has(place.name)) add(place.folder, place.name, newFolder());
  }

  renamed(from: string, to: string): void {
    const [old, fresh] = [this.placeOf(from), this.placeOf(to)];
    const entry = old?.folder.present.get(old.name);
    if (old === undefined || fresh === undefined || entry === undefined) return;
    const change = { removed: old.name, added: { name: fresh.name, entry } };
    apply(old.folder.present, change);
    old.folder.changes.push(change);
  }

  removed(file: string): void {
    const place = this.placeOf(file);
    if (place?.folder.present.delete(place.name) === true) place.folder.changes.push({ removed: place.name });
  }

  /** Writes what the disk holds after the power was cut now into another folder. */
  cutPower(target: string, random: SeededRandom): void {
    restore(this.tree, target, random);
  }

  private placeOf(file: string): { readonly folder: DiskFolder; readonly name: string } | undefined {
    const relative = path.relative(this.root, file);
    if (relative.startsWith('..')) return undefined;
    const parts = relative.split(path.sep);
    const name = parts.pop() ?? '';
    let folder: DiskFolder = this.tree;
    for (const part of parts) {
      const next = folder.present.get(part);
      if (next === undefined || 'content' in next) return undefined;
      folder = next;
    }
    return { folder, name };
  }
}

function newFolder(): DiskFolder {
  return { durable: new Map(), present: new Map(), changes: [] };
}

function add(folder: DiskFolder, name: string, entry: DiskEntry): void {
  const change = { added: { name, entry } };
  apply(folder.present, change);
  folder.changes.push(change);
}

function apply(names: Map<string, DiskEntry>, { removed, added }: NameChange): void {
  if (removed !== undefined) names.delete(removed);
  if (added !== undefined) names.set(added.name, added.entry);
}

function restore(folder: DiskFolder, target: string, random: SeededRandom): void {
  fs.mkdirSync(target, { recursive: true });
  const names = new Map(folder.durable);
  for (const change of folder.changes.slice(0, random.below(folder.changes.length + 1))) apply(names, change);
  for (const [name, entry] of names) {
    const place = path.join(target, name);
    if ('content' in entry) fs.writeFileSync(place, contentAfter(entry, random));
    else restore(entry, place, random);
  }
}

/** What was synced, and of the rest a beginning, in which bytes may be wrong. */
function contentAfter({ content, synced }: DiskFile, random: SeededRandom): Buffer {
  const rest = Buffer.from(content.subarray(synced.length, synced.length + random.below(content.length - synced.length + 1)));
  for (let flips = rest.length === 0 ? 0 : random.below(4); flips > 0; flips -= 1) rest[random.below(rest.length)] = random.below(256);
  return Buffer.concat([synced, rest]);
}

/** Lets a disk see every call of `node:fs` that changes files. @returns a function that ends it. */
export function watchDisk(presentDisk: () => WatchedDisk | undefined): () => void {
  const real = { ...fs };
  const realOpen = fs.promises.open;
  const watched: Partial<Fs> = { ...watchedSync(real, presentDisk), ...watchedAsync(real, presentDisk) };
  Object.assign(fs, watched);
  fs.promises.open = async (file, flags, mode) => {
    const handle = await realOpen(file, flags, mode);
    presentDisk()?.opened(handle.fd, String(file), flags ?? 'r');
    const sync = handle.sync.bind(handle);
    const syncAndTell = async (): Promise<void> => {
      await sync();
      presentDisk()?.synced(handle.fd);
    };
    Object.assign(handle, { sync: syncAndTell, datasync: syncAndTell });
    return handle;
  };
  syncBuiltinESMExports();
  return () => {
    for (const name of Object.keys(watched) as (keyof Fs)[]) Object.assign(fs, { [name]: real[name] });
    fs.promises.open = realOpen;
    syncBuiltinESMExports();
  };
}

type Fs = typeof fs;

function watchedSync(real: Fs, disk: () => WatchedDisk | undefined): Partial<Fs> {
  return {
    openSync: (file, flags, mode) => {
      const descriptor = real.openSync(file, flags, mode);
      disk()?.opened(descriptor, String(file), flags);
      return descriptor;
    },
    closeSync: (descriptor) => {
      disk()?.closed(descriptor);
      real.closeSync(descriptor);
    },
    writeSync: ((descriptor: number, bytes: Uint8Array, from?: number | null) => {
      const offset = from ?? 0;
      const written = real.writeSync(descriptor, bytes, offset);
      disk()?.wrote(descriptor, bytes.subarray(offset, offset + written));
      return written;
    }) as Fs['writeSync'],
    fsyncSync: (descriptor) => {
      real.fsyncSync(descriptor);
      disk()?.synced(descriptor);
    },
    mkdirSync: ((folder: string, options?: fs.MakeDirectoryOptions) => {
      const first = real.mkdirSync(folder, options);
      disk()?.madeFolder(folder);
      return first;
    }) as Fs['mkdirSync'],
    renameSync: (from, to) => {
      real.renameSync(from, to);
      disk()?.renamed(String(from), String(to));
    },
    rmSync: (file, options) => {
      real.rmSync(file, options);
      disk()?.removed(String(file));
    },
  };
}

type Done = (error: NodeJS.ErrnoException | null, written?: number) => void;

function watchedAsync(real: Fs, disk: () => WatchedDisk | undefined): Partial<Fs> {
  const noted = (descriptor: number, buffers: readonly Uint8Array[], done: Done): Done => {
    return (error, written = 0) => {
      if (error === null) disk()?.wrote(descriptor, Buffer.concat(buffers).subarray(0, written));
      done(error, written);
    };
  };
  return {
    write: ((descriptor: number, bytes: Uint8Array, ...rest: [number, number, null, Done]) => {
      const [offset, length, position, done] = rest;
      real.write(descriptor, bytes, offset, length, position, noted(descriptor, [bytes.subarray(offset, offset + length)], done));
    }) as Fs['write'],
    writev: ((descriptor: number, buffers: readonly Uint8Array[], done: Done) => {
      real.writev(descriptor, buffers, noted(descriptor, buffers, done));
    }) as Fs['writev'],
    fdatasync: ((descriptor: number, done: Done) => {
      real.fdatasync(descriptor, (error) => {
        if (error === null) disk()?.synced(descriptor);
        done(error);
      });
    }) as Fs['fdatasync'],
    close: ((descriptor: number, done: Done) => {
      disk()?.closed(descriptor);
      real.close(descriptor, done);
    }) as Fs['close'],
  };
}
