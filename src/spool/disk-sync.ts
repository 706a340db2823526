import { close, fdatasync } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';

const syncData = promisify(fdatasync);
const closeDescriptor = promisify(close);

/**
 * Syncs files and folders off the event loop and one at a time, so that no descriptor is closed during its sync. Until a folder is synced,
 * a power loss may take a new file in it with all its synced content.
 */
export class DiskSync {
  private readonly onFailure: (error: Error) => void;
  private lastJob: Promise<void> = Promise.resolve();
  private unsynced = false;
  private newFiles = 0;
  private syncedFiles = 0;
  private isSyncPending = false;

  constructor(onFailure: (error: Error) => void) {
    this.onFailure = onFailure;
  }

  onWritten(): void {
    this.unsynced = true;
  }

  onNewFile(): void {
    this.newFiles += 1;
  }

  isFolderSynced(): boolean {
    return this.syncedFiles === this.newFiles;
  }

  /** Syncs a file unless nothing was written since the last sync or that is still running. */
  syncIfNeeded(descriptor: number): void {
    if (!this.unsynced || this.isSyncPending) return;
    this.isSyncPending = true;
    this.unsynced = false;
    void this.enqueue(async () => {
      try {
        await syncData(descriptor);
      } finally {
        this.isSyncPending = false;
      }
    });
  }

  /** Syncs a file and its folder. @throws when that fails. */
  async syncWithFolder(descriptor: number, folder: string): Promise<void> {
    await syncData(descriptor);
    await this.syncFolder(folder);
  }

  /** Syncs and closes a finished file and syncs its folder. Failures are reported. */
  finish(descriptor: number, folder: string): Promise<void> {
    return this.enqueue(async () => {
      try {
        await syncData(descriptor);
        if (!this.isFolderSynced()) await this.syncFolder(folder);
      } finally {
        await closeDescriptor(descriptor);
      }
    });
  }

  private async syncFolder(folder: string): Promise<void> {
    const files = this.newFiles;
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
      this.syncedFiles = files;
    } finally {
      await handle.close();
    }
  }

  private enqueue(job: () => Promise<void>): Promise<void> {
    this.lastJob = this.lastJob
      .then(job)
      .catch((error: unknown) => this.onFailure(error instanceof Error ? error : new Error(String(error))));
    return this.lastJob;
  }
}
