import type { Server } from 'node:http';
import { operatorSocket } from '../config/data-paths.ts';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { closeServer } from '../platform/http/server.ts';
import { listenOnSocket } from '../platform/http/unix-socket.ts';

/**
 * Serves the operator API on its socket. The core works without it, so a failure is only observed. @returns a function that ends it within
 * the given milliseconds.
 */
export async function serveOperator(dataDir: string, server: Server, observe: Observe): Promise<(maxMs: number) => Promise<void>> {
  try {
    const remove = await listenOnSocket(server, operatorSocket(dataDir));
    return async (maxMs) => {
      remove();
      await closeServer(server, maxMs);
    };
  } catch (error) {
    observe({ kind: 'operator_socket_missing', reason: messageOf(error) });
    return async () => undefined;
  }
}
