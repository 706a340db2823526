import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Passes connections on to a listener, and breaks them. */
export interface CuttableProxy {
  readonly address: string;
  /** Breaks all open connections. @returns how many. */
  readonly cut: () => number;
  readonly close: () => Promise<void>;
}

/** @param target an address such as `http://127.0.0.1:8788`. @param ownPort 0: any. */
export async function startCuttableProxy(target: string, ownPort = 0): Promise<CuttableProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const service = connect(Number(port), hostname);
    open.add(client);
    for (const [from, to] of [
      [client, service],
      [service, client],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
    client.on('close', () => open.delete(client));
  });
  await new Promise<void>((resolve) => server.listen(ownPort, '127.0.0.1', resolve));
  const cut = (): number => {
    const count = open.size;
    for (const socket of open) socket.destroy();
    return count;
  };
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
