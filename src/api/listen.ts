import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createAdaptorServer, serve } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Problem } from '../contract/problem.ts';
import { headerValues } from '../platform/http/header-list.ts';
import type { ClientBindings } from './http/client-bindings.ts';
import { type ClientAddressOf, clientAddressBehind } from '../platform/http/client-address.ts';
import type { Tls } from '../platform/http/tls.ts';
import { watchReads } from '../platform/http/write-timeout.ts';

/** A session's identifier is in the path: at most 8,192 bytes, three times as many when percent-encoded. */
const headMaxBytes = 64 * 1024;

/** Node closes further connections. */
const maxConnections = 4096;

/** Maximum time to receive a request with its body; then its connection is closed. */
const requestTimeoutMs = 300_000;

export interface ApiListener {
  /** Undefined: plain http. */
  readonly tls?: Tls | undefined;
  readonly host: string;
  readonly port: number;
  /** For the next request on an idle connection. */
  readonly keepAliveTimeoutMs: number;
  /** For a client that reads nothing of its response. */
  readonly clientStallMs: number;
  /** Default: the address of the connection. */
  readonly clientAddressOf?: ClientAddressOf;
}

/** The server is not listening yet on return: wait for its event. */
export function serveApi(api: Hono, listener: ApiListener): Server {
  const { host, port, keepAliveTimeoutMs, clientStallMs, clientAddressOf = clientAddressBehind([]), tls } = listener;
  const server = serve({
    fetch: (request, env) => api.fetch(request, { ...env, clientAddress: () => clientAddressOf(env.incoming) } satisfies ClientBindings),
    hostname: host,
    port,
    serverOptions: {
      maxHeaderSize: headMaxBytes,
      keepAliveTimeout: keepAliveTimeoutMs,
      requestTimeout: requestTimeoutMs,
      ServerResponse: watchedAnswers(clientStallMs),
    },
    createServer: ((options: object, handler: RequestListener) =>
      tls === undefined
        ? createServer(options, onlyPlain(handler))
        : createSecureServer({ ...options, ...tls }, onlyPlain(handler))) as typeof createServer,
  }) as Server;
  server.maxConnections = maxConnections;
  return server;
}

/** A server that does not listen yet. */
export function serverOf(api: Hono): Server {
  return createAdaptorServer({ fetch: api.fetch }) as Server;
}

type HeadLines = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Watches from the headers on: before them the client has nothing to read. */
function watchedAnswers(clientStallMs: number): typeof ServerResponse {
  return class WatchedAnswer extends ServerResponse {
    override writeHead(status: number, message?: string | HeadLines, lines?: HeadLines): this {
      watchReads(this, clientStallMs);
      return typeof message === 'string' ? super.writeHead(status, message, lines) : super.writeHead(status, message ?? lines);
    }
  } as typeof ServerResponse;
}

/** Refuses requests that Node's parser accepts and HTTP/1.1 forbids: other versions, and a second Host header (RFC 9112 §3.2). */
function onlyPlain(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (isPlain(request)) listener(request, response);
    else refuse(response);
  };
}

function isPlain({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  const hosts = headerValues(rawHeaders, 'host').length;
  return (httpVersion === '1.1' || httpVersion === '1.0') && hosts <= 1;
}

function refuse(response: ServerResponse): void {
  const problem: Problem = { data: null, error: 'This is not a well-formed HTTP/1.1 request.', code: 'malformed_request' };
  response.writeHead(400, { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff', Connection: 'close' });
  response.end(`${JSON.stringify(problem)}\n`);
}
