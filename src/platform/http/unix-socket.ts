import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';

/**
 * # A socket in a folder that only this user can open
 *
 * The socket is created in a temporary folder (mode 0700), gets its mode there and is then renamed: nobody can connect before the mode is
 * right, and the rename replaces the socket of an earlier process. A changed umask would work too, but it applies to the whole process, and
 * threads of the embedded databases create folders meanwhile.
 *
 * The path of a socket has at most about a hundred bytes. For a longer one we open its folder and use the path of the descriptor under /proc
 * (Linux); other systems refuse a longer path.
 */
const maxPathBytes = 103;
const descriptorFolder = '/proc/self/fd';
const unfinishedPrefix = '.socket-';
/** Space for the path of the unfinished socket: its own folder and a name. */
const unfinishedPathBytes = '/.socket-XXXXXX/s'.length;

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
  if (Buffer.byteLength(folder) + unfinishedPathBytes <= maxPathBytes) return { folder, close: () => undefined };
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
