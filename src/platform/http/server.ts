import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long running calls may go on when their server stops. */
export interface CallsEnd {
  readonly maxMs: number;
  /** Ends them sooner. */
  readonly cut: AbortSignal;
}

const closePollMs = 25;

/** Binds a server. @returns its address. @throws the system's error when the port is unavailable. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  return listening(server);
}

export async function listening(server: Server): Promise<string> {
  if (!server.listening) {
    await new Promise<void>((resolve, reject) => {
      server.once('listening', resolve);
      server.once('error', reject);
    });
  }
  const { address, port, family } = server.address() as AddressInfo;
  const scheme = 'setSecureContext' in server ? 'https' : 'http';
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Takes no new connection, lets calls end for `maxMs`, then breaks the rest. */
export async function closeServer(server: Server, maxMs: number): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), closePollMs);
  const end = setTimeout(() => server.closeAllConnections(), maxMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(idle);
  clearTimeout(end);
}
