import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { GatelogError } from '../../model/errors.ts';
import type { CallMemory } from './response-memory.ts';

/** Limits the bytes of a call's body. @throws GatelogError 413. */
export type LimitBody = (context: Context) => Promise<void>;

interface BodyBudget {
  readonly limitBody: LimitBody;
  readonly maxBytes: number;
  readonly memory: CallMemory;
}

/**
 * Limits the body of a call and takes memory for it, before anything of it is read. @throws GatelogError 413, or 503 when the organisation
 * sends more at once than there is memory for.
 */
export async function admitBody(context: Context, { limitBody, maxBytes, memory }: BodyBudget): Promise<void> {
  const announced = announcedBytes(context);
  if (announced !== undefined) await limitBody(context);
  await memory.takeBody(announced ?? maxBytes);
  if (announced === undefined) await limitBody(context);
}

/** @returns undefined for a body in chunks. */
export function announcedBytes(context: Context): number | undefined {
  const { method } = context.req;
  if (method === 'GET' || method === 'HEAD') return 0;
  const length = context.req.header('Content-Length');
  const isChunked = context.req.header('Transfer-Encoding') !== undefined;
  if (length === undefined) return isChunked ? undefined : 0;
  return isChunked ? undefined : Number(length);
}

/** For calls without a key, of which anybody may open many: enough for a key. */
const smallBytes = 4096;

/**
 * Makes the limit. It reads a body without a Content-Length into memory before it returns.
 * Invariant: call it only for an authenticated caller, else every connection could take this much memory; {@link limitSmallBody} is for
 * others.
 * TRICKY: the library's limit reads every body as a web stream, which creates a web request first: a tenth of a millisecond. With a
 * Content-Length the server reads no more than that, and a GET has no body.
 */
export function makeBodyLimit(maxBytes: number, setting = ' (GATELOG_API_BODY_MAX_BYTES)'): LimitBody {
  const refuse = (): never => {
    throw new GatelogError('body_too_large', `The body is over the limit of ${maxBytes} bytes${setting}.`);
  };
  const limitUnannounced = bodyLimit({ maxSize: maxBytes, onError: refuse });
  return async (context) => {
    const { method } = context.req;
    if (method === 'GET' || method === 'HEAD') return;
    const announced = context.req.header('Content-Length');
    if (announced === undefined || context.req.header('Transfer-Encoding') !== undefined) {
      await limitUnannounced(context as Parameters<MiddlewareHandler>[0], async () => undefined);
    } else if (Number(announced) > maxBytes) refuse();
  };
}

/** The limit of a call whose caller is not known yet. */
export const limitSmallBody = makeBodyLimit(smallBytes, '');
