import { statfsSync } from 'node:fs';

/** Numbers of file systems whose files lie on another machine, or are served by a program (linux/magic.h and their own sources). */
const remoteTypes = {
  nfs: [0x6969],
  smb: [0x51_7b, 0xff_53_4d_42, 0xfe_53_4d_42],
  ceph: [0x00_c3_64_00],
  lustre: [0x0b_d0_0b_d0],
  gpfs: [0x47_50_46_53],
  afs: [0x53_46_41_4f, 0x6b_41_46_53],
  '9p': [0x01_02_19_97],
  fuse: [0x65_73_55_46],
} as const;

export type RemoteFileSystem = keyof typeof remoteTypes;
export const remoteFileSystems = Object.keys(remoteTypes) as readonly RemoteFileSystem[];

const remoteNames: ReadonlyMap<number, RemoteFileSystem> = new Map(
  remoteFileSystems.flatMap((name) => remoteTypes[name].map((type) => [type, name] as const)),
);

/** @param type as `statfs` tells it. @returns undefined for a local one. */
export function remoteFileSystemOf(type: number): RemoteFileSystem | undefined {
  return remoteNames.get(type);
}

/** Bytes of a disk: free ones, all of them, and those to keep free. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly sizeBytes: number;
  readonly spareBytes: number;
  /** Undefined: a local one. Databases lock and map their files, which others do slowly or wrongly. */
  readonly remote: RemoteFileSystem | undefined;
}

/** Makes a function that reads the free bytes of a folder's disk; each call asks the file system, some microseconds. */
export function makeMeasureDiskSpace(folder: string, spareBytes: number): () => DiskSpace {
  return () => {
    const { bavail, blocks, bsize, type } = statfsSync(folder);
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize, spareBytes, remote: remoteFileSystemOf(type) };
  };
}

/** Whether a folder's disk keeps more than `spareBytes` free once `bytes` more are written. */
export type HasFreeSpace = (bytes?: number) => boolean;

/** @param spareBytes bytes to keep free. */
export function makeHasFreeSpace(folder: string, spareBytes: number): HasFreeSpace {
  const measure = makeMeasureDiskSpace(folder, spareBytes);
  return (bytes = 0) => measure().freeBytes - bytes > spareBytes;
}
