import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of the attacker's own. */
export interface Receiver {
  readonly port: number;
  readonly close: () => void;
}

/** Begins to listen on loopback. */
export async function listening(server: Server): Promise<Receiver> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
