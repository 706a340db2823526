import { statfsSync } from 'node:fs';

/** Bytes of a disk: free ones, and those to keep free. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly spareBytes: number;
}

/** Makes a function that reads the free bytes of a folder's disk; each call asks the file system, some microseconds. */
export function makeMeasureDiskSpace(folder: string, spareBytes: number): () => DiskSpace {
  return () => {
    const { bavail, bsize } = statfsSync(folder);
    return { freeBytes: bavail * bsize, spareBytes };
  };
}

/** Whether a folder's disk keeps more than `spareBytes` free once `bytes` more are written. */
export type HasFreeSpace = (bytes?: number) => boolean;

/** @param spareBytes bytes to keep free. */
export function makeHasFreeSpace(folder: string, spareBytes: number): HasFreeSpace {
  const measure = makeMeasureDiskSpace(folder, spareBytes);
  return (bytes = 0) => measure().freeBytes - bytes > spareBytes;
}
