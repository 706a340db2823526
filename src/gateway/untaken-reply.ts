import type { ServerResponse } from 'node:http';

/**
 * A reply that is handed over whole: where its client takes nothing of it for so long, milliseconds, the connection is broken off. Node itself would keep
 * that for ever. It listens ahead of Node, which then sets the time that an idle connection is kept.
 */
export function watchUntaken(response: ServerResponse, clientStallMs: number): void {
  if (response.writableLength === 0) return;
  response.setTimeout(clientStallMs);
  response.prependOnceListener('finish', () => response.setTimeout(0));
}
