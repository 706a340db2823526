import { close, fdatasync, open } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { open as openFolder } from 'node:fs/promises';

const [openFile, syncFile, closeFile] = [promisify(open), promisify(fdatasync), promisify(close)];

/**
 * Brings a database's write-ahead log to the disk without blocking the thread: on a busy disk that takes tens of milliseconds. Commits that
 * come while one sync runs share the next.
 */
export class LogSync {
  private readonly log: string;
  private readonly sync: (descriptor: number) => Promise<void>;
  private descriptor: Promise<number> | undefined;
  private running: Promise<void> = Promise.resolve();
  private next: Promise<void> | undefined;

  /** @param database the path of its file, whose log exists at the first sync. */
  constructor(database: string, sync = syncFile) {
    this.log = `${database}-wal`;
    this.sync = sync;
  }

  /** Resolves once everything is on the disk that was committed before this call. @throws the system's error. */
  synced(): Promise<void> {
    this.next ??= this.after(this.running);
    return this.next;
  }

  /** Call it after the database is closed, never while it is open: the file is the one that the engine writes. */
  async close(): Promise<void> {
    await (this.next ?? this.running).catch(() => undefined);
    const descriptor = await this.descriptor?.catch(() => undefined);
    if (descriptor !== undefined) await closeFile(descriptor);
  }

  private opened(): Promise<number> {
    const opening = (this.descriptor ??= this.found());
    opening.catch(() => (this.descriptor = undefined));
    return opening;
  }

  /** The engine creates the log, and makes its name durable only when it syncs it itself. */
  private async found(): Promise<number> {
    const folder = await openFolder(path.dirname(this.log), 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
    return openFile(this.log, 'r+');
  }

  private async after(before: Promise<void>): Promise<void> {
    await before.catch(() => undefined);
    // TRICKY: what is committed from here on may miss this sync.
    this.running = this.next ?? this.running;
    this.next = undefined;
    await this.sync(await this.opened());
  }
}
