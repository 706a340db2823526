import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Problem } from '../../contract/problem.ts';
import { type ApiErrorCode, GatelogError, isApiErrorCode } from '../../model/errors.ts';
import type { Observe } from '../../model/observation.ts';
import { headerPairs } from '../../platform/http/header-list.ts';
import { rateLimitHeaders } from '../../model/rate-limit-headers.ts';
import { failureText } from '../../store/engine/failure.ts';
import { endpointOf } from './matched-endpoint.ts';
import { sendJson } from './send-json.ts';

/**
 * Maps every error of a handler to a response: the only place where an error becomes HTTP. Unexpected errors are logged, and nothing of
 * them is sent.
 */
export function sendProblem(context: Context, thrown: unknown, observe: Observe): Response {
  const { error, code } = asApiError(thrown);
  // Neither a caller that has left nor a long erasure is a failure of the service.
  if (error.status >= 500 && code !== 'erasure_in_progress' && !context.req.raw.signal.aborted) {
    observe({ kind: 'api_failed', endpoint: endpointOf(context) ?? 'none', reason: failureText(error) });
  }
  if (error.retryAfterSeconds !== undefined) context.header('Retry-After', String(error.retryAfterSeconds));
  const rateLimit = error.usedUp === undefined ? [] : rateLimitHeaders(error.usedUp);
  for (const [name, value] of headerPairs(rateLimit)) context.header(name, value);
  if (error.status === 401) context.header('WWW-Authenticate', 'Bearer');
  const problem: Problem = {
    data: null,
    error: error.message,
    code,
    ...(error.details === undefined ? {} : { details: error.details }),
  };
  return sendJson(context, problem, error.status as ContentfulStatusCode);
}

interface ApiError {
  readonly error: GatelogError;
  readonly code: ApiErrorCode;
}

function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof GatelogError && isApiErrorCode(thrown.code)) return { error: thrown, code: thrown.code };
  const error = new GatelogError('internal', 'The service failed on this call. The log of the service says why.', { cause: thrown });
  return { error, code: 'internal' };
}
