import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a destination behaves. */
export const manners = ['fast', 'slow', 'refusing', 'silent'] as const;
export type Manner = (typeof manners)[number];

export interface Receivers {
  readonly origins: Readonly<Record<Manner, string>>;
  /** Events that each accepted. */
  readonly counts: Readonly<Record<Manner, number>>;
  readonly close: () => void;
}

const slowMs = 1000;

/** @param onFast hears of each request whose event the fast destination got. */
export async function startReceivers(onFast: (requestId: string) => void): Promise<Receivers> {
  const counts = { fast: 0, slow: 0, refusing: 0, silent: 0 };
  const answers: Readonly<Record<Manner, (response: ServerResponse, body: Buffer) => unknown>> = {
    fast: (response, body) => {
      counts.fast += 1;
      response.writeHead(204).end();
      const id = /"request_id":"([^"]+)"/.exec(body.toString('latin1'))?.[1];
      if (id !== undefined) onFast(id);
    },
    slow: async (response) => {
      await sleep(slowMs);
      counts.slow += 1;
      response.writeHead(204).end();
    },
    refusing: (response) => response.writeHead(500).end(),
    // Whoever calls gives up.
    silent: () => undefined,
  };
  const servers = manners.map((manner) =>
    createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => void answers[manner](response, Buffer.concat(chunks)));
    }),
  );
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
        }),
    ),
  );
  return {
    origins: Object.fromEntries(manners.map((manner, index) => [manner, `http://127.0.0.1:${ports[index]}`])) as Record<Manner, string>,
    counts,
    close: () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
