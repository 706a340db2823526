import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { GatelogError } from '../../model/errors.ts';

/** Holds a call to the bytes that its body may have. @throws GatelogError 413 */
export type LimitBody = (context: Parameters<MiddlewareHandler>[0]) => Promise<void>;

/**
 * Makes the limit of bodies. A body without an announced length is in memory when it returns.
 * Invariant: no body is read for a caller who is not known yet, else every connection could have so many bytes of memory.
 * TRICKY: the library's limit asks every call for its body as a web stream, which makes a web request first: a tenth of a millisecond of this
 * thread. Where the length was announced the server reads no more than that, and where a method has no body there is nothing to limit.
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
