import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeServer, type ServerParts } from './server.ts';

/** Serves one client over standard input and output until it closes them. @param onError for what no answer can say. */
export function serveOverStdio(parts: ServerParts, onError: (error: Error) => void): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once('close', resolve);
    serveStdio(() => makeServer(parts), { maxSubscriptions: 0, onerror: onError });
  });
}
