import type { Server } from 'node:http';
import { createAdaptorServer, serve } from '@hono/node-server';
import type { Hono } from 'hono';

/** A session's identifier stands in the path: the longest that a property holds, 8,192 bytes, has three times as many there. Bytes. */
const headMaxBytes = 64 * 1024;

/** Serves the API over HTTP. The server is about to listen; wait for its event. */
export function serveApi(api: Hono, host: string, port: number): Server {
  return serve({ fetch: api.fetch, hostname: host, port, serverOptions: { maxHeaderSize: headMaxBytes } }) as Server;
}

/** Serves an API on whatever the server is told to listen to. */
export function serverOf(api: Hono): Server {
  return createAdaptorServer({ fetch: api.fetch }) as Server;
}
