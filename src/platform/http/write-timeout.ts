import type { ServerResponse } from 'node:http';

/**
 * Breaks the connection when the client reads nothing of a response for `clientStallMs`; Node would wait for ever. A slow client that
 * reads anything keeps its connection. Call it before the response is handed over whole.
 */
export function watchReads(response: ServerResponse, clientStallMs: number): void {
  response.setTimeout(clientStallMs);
  // Before Node's listener, which sets the keep-alive timeout.
  response.prependOnceListener('finish', () => response.setTimeout(0));
}

/** The same for a response that was handed over; one that is already in the system's buffers needs no timeout. */
export function enforceWriteTimeout(response: ServerResponse, clientStallMs: number): void {
  if (response.writableLength > 0) watchReads(response, clientStallMs);
}
