import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeAllowList } from '../../../egress/allow-list.ts';
import { type EgressPolicy, makeTargetGuard } from '../../../egress/target-guard.ts';
import { selfSigned } from '../../../gateway/testing/self-signed.ts';

export interface ReceivedPost {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An HTTP or HTTPS server that answers as a test says and keeps what it was sent. */
export interface Receiver {
  /** With its port: `http://localhost:1234`. */
  readonly origin: string;
  readonly port: number;
  readonly posts: ReceivedPost[];
  /** Connections opened so far. */
  readonly connections: () => number;
  /** Of an HTTPS receiver: its certificate, which signs itself. */
  readonly ca: string | undefined;
}

type Answer = number | ((response: ServerResponse, request: IncomingMessage, post: ReceivedPost) => void);

const opened: Server[] = [];

export function closeReceivers(): void {
  for (const server of opened.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}

/** @param answer a status without a body, or a function that writes the response. */
export async function startReceiver(answer: Answer = 200, scheme: 'http' | 'https' = 'http'): Promise<Receiver> {
  const posts: ReceivedPost[] = [];
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      const post = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
      posts.push(post);
      if (typeof answer === 'number') response.writeHead(answer).end();
      else answer(response, request, post);
    });
  };
  const certificate = scheme === 'https' ? selfSigned('localhost') : undefined;
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  server.on('connection', () => (connections += 1));
  opened.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `${scheme}://localhost:${port}`, port, posts, connections: () => connections, ca: certificate?.cert };
}

/** A guard with the allow-list of a deployment. */
export function guardAllowing(...entries: readonly string[]): EgressPolicy {
  return makeTargetGuard(makeAllowList(entries));
}
