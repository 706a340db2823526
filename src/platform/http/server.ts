import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** For how long calls that run when their server is told to stop may go on. */
export interface CallsEnd {
  readonly maxMs: number;
  /** Ends them sooner. */
  readonly cut: AbortSignal;
}

const closePollMs = 25;

/** Binds a server. @returns its address. @throws the system's error when the port cannot be had. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  return listening(server);
}

/** The address of a server once it listens. */
export async function listening(server: Server): Promise<string> {
  if (!server.listening) {
    await new Promise<void>((resolve, reject) => {
      server.once('listening', resolve);
      server.once('error', reject);
    });
  }
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Takes no new connection, lets calls end for `mostMs`, then breaks what is left. */
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
