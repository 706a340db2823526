import type { Server } from 'node:http';
import { serve } from '@hono/node-server';
import type { Hono } from 'hono';

/** Serves the API over HTTP. The server is about to listen; wait for its event. */
export function serveApi(api: Hono, host: string, port: number): Server {
  return serve({ fetch: api.fetch, hostname: host, port }) as Server;
}
