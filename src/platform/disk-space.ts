import { statfsSync } from 'node:fs';

/** Bytes of a disk: how many are free, and how many of them stay so. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly spareBytes: number;
}

/** Makes the function that looks how many bytes are free on a folder's disk; it asks the file system each time, some microseconds. */
export function makeMeasureRoom(folder: string, spareBytes: number): () => DiskSpace {
  return () => {
    const { bavail, bsize } = statfsSync(folder);
    return { freeBytes: bavail * bsize, spareBytes };
  };
}

/** Whether a folder's disk has more than `spareBytes` free once so many bytes more are written to it. */
export type HasRoom = (bytes?: number) => boolean;

/** Makes the function that looks, as {@link makeMeasureRoom} does. @param spareBytes bytes that stay free. */
export function makeHasRoom(folder: string, spareBytes: number): HasRoom {
  const measure = makeMeasureRoom(folder, spareBytes);
  return (bytes = 0) => measure().freeBytes - bytes > spareBytes;
}
