import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Problem } from '../contract/problem.ts';
import { GatelogError, messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';

/** Seconds after which a caller may try again what failed for the moment only. */
const retryAfterSeconds = 2;

/**
 * Turns whatever a handler threw into an answer: the one place where an error becomes HTTP. What is not an error of ours is logged and
 * answered without a word of its own.
 */
export function answerProblem(context: Context, thrown: unknown, observe: Observe): Response {
  const error = asGatelogError(thrown);
  // A caller who has left is no failure of ours.
  if (error.status >= 500 && !context.req.raw.signal.aborted) {
    const reason = error.cause === undefined ? error.message : `${error.message} ${messageOf(error.cause)}`;
    observe({ kind: 'api_failed', method: context.req.method, route: context.req.path, reason });
  }
  if (error.status === 503) context.header('Retry-After', String(retryAfterSeconds));
  if (error.status === 401) context.header('WWW-Authenticate', 'Bearer');
  const problem: Problem = {
    data: null,
    error: error.message,
    code: error.code,
    ...(error.details === undefined ? {} : { details: error.details }),
  };
  return context.json(problem, error.status as ContentfulStatusCode);
}

function asGatelogError(thrown: unknown): GatelogError {
  if (thrown instanceof GatelogError) return thrown;
  if (thrown instanceof HTTPException && thrown.status === 413) {
    return new GatelogError('body_too_large', 'The body is over the limit of this API.', { cause: thrown });
  }
  return new GatelogError('internal', 'The service failed on this call. The log of the service says why.', { cause: thrown });
}
