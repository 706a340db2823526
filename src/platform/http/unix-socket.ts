import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';

/**
 * # A socket in a folder that only this user can open
 *
 * It is made in a folder of its own (mode 0700), gets its mode there, and only then its name: nobody can connect before the mode is right,
 * and what an earlier process has left under the name is replaced in the same step. A changed umask would do too, but it is the whole
 * process's, and threads of the embedded databases make folders meanwhile.
 *
 * The path of a socket has room for some hundred bytes. Where a longer one is asked for, its folder is opened and named by the number of its
 * descriptor, which Linux shows under /proc. Elsewhere a longer path is refused.
 */
const maxPathBytes = 103;
const descriptorFolder = '/proc/self/fd';
const unfinishedPrefix = '.socket-';
/** Space for the path of the unfinished socket: its own folder and a name. */
const roomForUnfinished = '/.socket-XXXXXX/s'.length;

/** A socket path that is short enough; the caller closes it after use. */
export interface SocketPath {
  readonly path: string;
  readonly close: () => void;
}

/** @throws with a sentence for people when the path is too long and cannot be shortened. */
export function socketPath(file: string): SocketPath {
  const { folder, close } = shortFolder(path.dirname(file));
  return { path: `${folder}/${path.basename(file)}`, close };
}

function shortFolder(folder: string): { readonly folder: string; readonly close: () => void } {
  if (Buffer.byteLength(folder) + roomForUnfinished <= maxPathBytes) return { folder, close: () => undefined };
  if (!existsSync(descriptorFolder)) {
    throw new Error(`the path of the folder has ${Buffer.byteLength(folder)} bytes, too many for a socket on this system`);
  }
  const descriptor = openSync(folder, 'r');
  return { folder: `${descriptorFolder}/${descriptor}`, close: () => closeSync(descriptor) };
}

/**
 * Listens on a socket, mode 0600, and replaces an existing one. The caller makes sure that no other process listens there. @returns a
 * function that removes the socket. @throws the system's error when it cannot be created.
 */
export async function listenOnSocket(server: Server, file: string): Promise<() => void> {
  const folder = path.dirname(file);
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(unfinishedPrefix))) {
    rmSync(path.join(folder, name), { recursive: true, force: true });
  }
  const short = shortFolder(folder);
  const unfinished = mkdtempSync(path.join(folder, unfinishedPrefix));
  try {
    server.listen(`${short.folder}/${path.basename(unfinished)}/s`);
    await once(server, 'listening');
    chmodSync(path.join(unfinished, 's'), 0o600);
    renameSync(path.join(unfinished, 's'), file);
  } finally {
    short.close();
    rmSync(unfinished, { recursive: true, force: true });
  }
  return () => rmSync(file, { force: true });
}
