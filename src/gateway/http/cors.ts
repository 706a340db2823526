import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { v7 } from 'uuid';
import { crossOrigin } from '../../model/vocabulary/cross-origin.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { serverTiming } from './server-timing.ts';

type HeadLines = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Replies that pages of these origins may read, `*` those of any. The provider's own word on that does not pass: here the deployment says it.
 * A deployment that allows none has plain replies, which cost nothing more.
 */
export function crossOriginResponses(origins: readonly string[]): typeof ServerResponse {
  return class CrossOriginResponse extends ServerResponse<IncomingRequest> {
    override writeHead(status: number, message?: string | HeadLines, lines?: HeadLines): this {
      const given = flat(typeof message === 'string' ? lines : message);
      const kept = given.filter((_, index) => !isCrossOriginLine(given[index - (index % 2)]));
      const whole = [...kept, ...linesFor(origins, this.req)];
      return typeof message === 'string' ? super.writeHead(status, message, whole) : super.writeHead(status, whole);
    }
  } as typeof ServerResponse;
}

/** True for a browser's question whether a page of an allowed origin may make a call. */
export function isAllowedPreflight(origins: readonly string[], { method, headers }: IncomingRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && allowedAs(origins, headers.origin) !== undefined;
}

/** Answers it: with any header, as clients send many of their own beside ours. Leaves no record. */
export function answerPreflight(response: ServerResponse): void {
  response.writeHead(204, ['svc-id', v7(), 'server-timing', serverTiming(0)]);
  response.end();
}

/** Our lines on a reply, name and value in turn. */
function linesFor(origins: readonly string[], request: IncomingRequest): readonly string[] {
  const { origin, 'access-control-request-headers': asked } = request.headers;
  const allowed = allowedAs(origins, origin);
  const vary = origins.includes('*') ? [] : ['vary', 'origin'];
  if (allowed === undefined) return vary;
  const own = [...vary, 'access-control-allow-origin', allowed, 'access-control-expose-headers', crossOrigin.exposed];
  if (!isAllowedPreflight(origins, request)) return own;
  own.push('access-control-allow-methods', crossOrigin.methods.join(', '), 'access-control-max-age', String(crossOrigin.maxAgeSeconds));
  if (asked !== undefined) own.push('access-control-allow-headers', asked, 'vary', 'access-control-request-headers');
  return own;
}

/** Header lines as name and value in turn, in whichever form Node takes them. */
function flat(lines: HeadLines | undefined): readonly OutgoingHttpHeader[] {
  if (lines === undefined) return [];
  return Array.isArray(lines) ? lines : Object.entries(lines).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

function isCrossOriginLine(name: OutgoingHttpHeader | undefined): boolean {
  return typeof name === 'string' && name.toLowerCase().startsWith('access-control-');
}

/** The allowed origin as a reply names it. */
function allowedAs(origins: readonly string[], origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined;
  return origins.includes('*') ? '*' : origins.includes(origin) ? origin : undefined;
}
