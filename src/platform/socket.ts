import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import { ensureFolder } from './files.ts';

/** Bytes of the path of a socket that every system takes, its terminating zero aside. */
const longestPath = 103;

/** Whether a socket can have this path. */
export function canBeSocket(file: string): boolean {
  return Buffer.byteLength(file) <= longestPath;
}

/**
 * Listens on a socket in the file system that only this user can open, in place of one that an earlier process has left. The folder around it
 * is the socket's own.
 * TRICKY: a socket is made with the permissions that the process gives to all its files, and to change these for a moment would reach whatever
 * other threads make just then. So the folder keeps others out while the socket gets its own.
 * @throws the system's error when it cannot be made.
 */
export async function listenOnSocket(server: Server, file: string): Promise<void> {
  const folder = path.dirname(file);
  ensureFolder(folder);
  chmodSync(folder, 0o700);
  rmSync(file, { force: true });
  server.listen(file);
  await once(server, 'listening');
  chmodSync(file, 0o600);
}
