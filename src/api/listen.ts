import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createAdaptorServer, serve } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Problem } from '../contract/problem.ts';

/** A session's identifier stands in the path: the longest that a property holds, 8,192 bytes, has three times as many there. Bytes. */
const headMaxBytes = 64 * 1024;

/** Connections to the API; Node closes further ones. */
const mostConnections = 4096;

/** Where the API listens, and for how many milliseconds it keeps an idle connection. */
export interface ApiListener {
  readonly host: string;
  readonly port: number;
  readonly keepAliveTimeoutMs: number;
}

/** Serves the API over HTTP. The server is about to listen; wait for its event. */
export function serveApi(api: Hono, { host, port, keepAliveTimeoutMs }: ApiListener): Server {
  const server = serve({
    fetch: api.fetch,
    hostname: host,
    port,
    serverOptions: { maxHeaderSize: headMaxBytes, keepAliveTimeout: keepAliveTimeoutMs },
    createServer: ((options: object, listener: RequestListener) => createServer(options, onlyPlain(listener))) as typeof createServer,
  }) as Server;
  server.maxConnections = mostConnections;
  return server;
}

/** Serves an API on whatever the server is told to listen to. */
export function serverOf(api: Hono): Server {
  return createAdaptorServer({ fetch: api.fetch }) as Server;
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
