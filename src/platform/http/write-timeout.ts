import type { ServerResponse } from 'node:http';

/**
 * A reply that is about to be handed over whole: where its client takes nothing of it for so long, milliseconds, the connection is broken off. Node
 * itself would keep that for ever; it counts what the client took since it looked last, so that a slow one is left alone.
 */
export function watchReads(response: ServerResponse, clientStallMs: number): void {
  response.setTimeout(clientStallMs);
  // Ahead of Node, which then sets the time that an idle connection is kept.
  response.prependOnceListener('finish', () => response.setTimeout(0));
}

/** The same for a reply that was handed over; one that the system took at once needs no watch. */
export function enforceWriteTimeout(response: ServerResponse, clientStallMs: number): void {
  if (response.writableLength > 0) watchReads(response, clientStallMs);
}
