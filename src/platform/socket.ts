import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Server } from 'node:http';

/** Bytes of the path of a socket that the system takes, its terminating zero aside. */
const longestPath = 107;

/** Whether a socket can have this path. */
export function canBeSocket(file: string): boolean {
  return Buffer.byteLength(file) <= longestPath;
}

/**
 * Listens on a socket in the file system that only this user can open, in place of one that an earlier process has left.
 * @throws the system's error when it cannot be made.
 */
export async function listenOnSocket(server: Server, file: string): Promise<void> {
  rmSync(file, { force: true });
  // TRICKY: the file is there, with these permissions, when `listen` returns; to change them afterwards would be too late.
  const mask = process.umask(0o177);
  try {
    server.listen(file);
  } finally {
    process.umask(mask);
  }
  await once(server, 'listening');
}
