import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { GatelogError } from '../../model/errors.ts';

/** Limits the bytes of a call's body. @throws GatelogError 413. */
export type LimitBody = (context: Parameters<MiddlewareHandler>[0]) => Promise<void>;

/**
 * Makes the limit. It reads a body without a Content-Length into memory before it returns.
 * Invariant: call it only for an authenticated caller, else every connection could take this much memory.
 * TRICKY: the library's limit reads every body as a web stream, which creates a web request first: a tenth of a millisecond. With a
 * Content-Length the server reads no more than that, and a GET has no body.
 */
export function makeBodyLimit(maxBytes: number): LimitBody {
  const refuse = (): never => {
    throw new GatelogError('body_too_large', `The body is over the limit of ${maxBytes} bytes (GATELOG_API_BODY_MAX_BYTES).`);
  };
  const limitUnannounced = bodyLimit({ maxSize: maxBytes, onError: refuse });
  return async (context) => {
    const { method } = context.req;
    if (method === 'GET' || method === 'HEAD') return;
    const announced = context.req.header('Content-Length');
    if (announced === undefined || context.req.header('Transfer-Encoding') !== undefined) {
      await limitUnannounced(context, async () => undefined);
    } else if (Number(announced) > maxBytes) refuse();
  };
}
