import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import { createAdaptorServer, serve } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Problem } from '../contract/problem.ts';
import { watchReads } from '../platform/http/write-timeout.ts';

/** A session's identifier stands in the path: the longest that a property holds, 8,192 bytes, has three times as many there. Bytes. */
const headMaxBytes = 64 * 1024;

/** Connections to the API; Node closes further ones. */
const maxConnections = 4096;

/** For how long a request may be on its way, its body with it; then its connection is closed. Milliseconds. */
const requestTimeoutMs = 300_000;

/** Where the API listens, and how long it waits for its clients, milliseconds. */
export interface ApiListener {
  readonly host: string;
  readonly port: number;
  /** For the next request on an idle connection. */
  readonly keepAliveTimeoutMs: number;
  /** For a client that takes nothing of its answer. */
  readonly clientStallMs: number;
}

/** Serves the API over HTTP. The server is about to listen; wait for its event. */
export function serveApi(api: Hono, { host, port, keepAliveTimeoutMs, clientStallMs }: ApiListener): Server {
  const server = serve({
    fetch: api.fetch,
    hostname: host,
    port,
    serverOptions: {
      maxHeaderSize: headMaxBytes,
      keepAliveTimeout: keepAliveTimeoutMs,
      requestTimeout: requestTimeoutMs,
      ServerResponse: watchedAnswers(clientStallMs),
    },
    createServer: ((options: object, listener: RequestListener) => createServer(options, onlyPlain(listener))) as typeof createServer,
  }) as Server;
  server.maxConnections = maxConnections;
  return server;
}

/** Serves an API on whatever the server is told to listen to. */
export function serverOf(api: Hono): Server {
  return createAdaptorServer({ fetch: api.fetch }) as Server;
}

type HeadLines = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Answers that are watched from when they are there: until then nobody has anything to take. */
function watchedAnswers(clientStallMs: number): typeof ServerResponse {
  return class WatchedAnswer extends ServerResponse {
    override writeHead(status: number, message?: string | HeadLines, lines?: HeadLines): this {
      watchReads(this, clientStallMs);
      return typeof message === 'string' ? super.writeHead(status, message, lines) : super.writeHead(status, message ?? lines);
    }
  } as typeof ServerResponse;
}

/** What Node's parser lets through and HTTP/1.1 does not: other versions, and a second Host line (RFC 9112 §3.2). */
function onlyPlain(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (isPlain(request)) listener(request, response);
    else refuse(response);
  };
}

function isPlain({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  return (httpVersion === '1.1' || httpVersion === '1.0') && hosts <= 1;
}

function refuse(response: ServerResponse): void {
  const problem: Problem = { data: null, error: 'This is not a well-formed HTTP/1.1 request.', code: 'malformed_request' };
  response.writeHead(400, { 'Content-Type': 'application/json', Connection: 'close' });
  response.end(`${JSON.stringify(problem)}\n`);
}
