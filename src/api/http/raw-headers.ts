import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Names and values in turn, as they came: the names of properties have their case there. */
export function rawHeadersOf(context: Context): readonly string[] {
  const incoming = (context.env as Partial<HttpBindings> | undefined)?.incoming;
  return incoming?.rawHeaders ?? [...context.req.raw.headers].flat();
}
