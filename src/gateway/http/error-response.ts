import type { ServerResponse } from 'node:http';
import type { GatelogError } from '../../model/errors.ts';
import { rateLimitHeaders } from '../../model/rate-limit-headers.ts';
import { enforceWriteTimeout } from '../../platform/http/write-timeout.ts';

/** Ends in a line break, so that a terminal prompt starts on its own line. */
export function jsonBody(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** OpenAI's shape, so that official clients show the message. */
export function errorBody(error: GatelogError): Buffer {
  return jsonBody({ error: { message: error.message, type: 'gatelog_error', param: null, code: error.code } });
}

export function errorHeaders(error: GatelogError, bodyBytes: number): string[] {
  const headers = [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(bodyBytes),
    // The sentence may repeat a text of the caller's.
    'x-content-type-options',
    'nosniff',
  ];
  if (error.retryAfterSeconds !== undefined) headers.push('retry-after', String(error.retryAfterSeconds));
  if (error.usedUp !== undefined) headers.push(...rateLimitHeaders(error.usedUp));
  // RFC 9110 §15.5.2: a 401 names the scheme.
  if (error.status === 401) headers.push('www-authenticate', 'Bearer');
  return headers;
}

export function refuseUnrecorded(
  response: ServerResponse,
  error: GatelogError,
  responseHeaders: readonly string[],
  clientStallMs: number,
): void {
  if (response.headersSent || response.destroyed) return;
  const body = errorBody(error);
  response.writeHead(error.status, [...errorHeaders(error, body.length), ...responseHeaders]);
  response.end(body);
  enforceWriteTimeout(response, clientStallMs);
}
