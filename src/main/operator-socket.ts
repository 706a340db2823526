import type { Server } from 'node:http';
import path from 'node:path';
import type { Observe } from '../model/observation.ts';
import { closeServer } from '../platform/http-server.ts';
import { canBeSocket, listenOnSocket } from '../platform/socket.ts';

/** Where the operator's commands reach the core. */
export function operatorSocket(dataDir: string): string {
  return path.resolve(dataDir, 'operator', 'core.sock');
}

/** Serves the operator's API, except where the path of the data folder is too long for a socket. @returns what ends it within so many milliseconds. */
export async function serveOperator(dataDir: string, server: Server, observe: Observe): Promise<(mostMs: number) => Promise<void>> {
  const file = operatorSocket(dataDir);
  if (!canBeSocket(file)) {
    observe({ kind: 'operator_socket_missing', reason: 'the path of the data folder is too long for a socket' });
    return async () => undefined;
  }
  await listenOnSocket(server, file);
  return (mostMs) => closeServer(server, mostMs);
}
