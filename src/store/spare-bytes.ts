import { statfsSync } from 'node:fs';

/** Of a store whose settings do not say. */
export const usualSpareBytes = 256 * 1024 * 1024;

/** Whether a folder's disk has more than `spareBytes` free. */
export type HasRoom = () => boolean;

/** Makes the function that looks; it asks the file system each time, some microseconds. @param spareBytes bytes that stay free. */
export function makeHasRoom(folder: string, spareBytes: number): HasRoom {
  return () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > spareBytes;
  };
}
