import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { crossOrigin } from '../../model/vocabulary/cross-origin.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { unrecordedHeaders } from './server-timing.ts';

type HeadersInput = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Responses that pages of these origins may read (`*` for any). CORS headers of providers are dropped: the deployment decides. A deployment
 * without origins uses plain responses, at no cost.
 */
export function crossOriginResponses(origins: readonly string[]): typeof ServerResponse {
  return class CrossOriginResponse extends ServerResponse<IncomingRequest> {
    override writeHead(status: number, message?: string | HeadersInput, headers?: HeadersInput): this {
      const list = flat(typeof message === 'string' ? headers : message);
      const kept = list.filter((_, index) => !isCorsHeader(list[index - (index % 2)]));
      const all = [...kept, ...corsHeaders(origins, this.req)];
      return typeof message === 'string' ? super.writeHead(status, message, all) : super.writeHead(status, all);
    }
  } as typeof ServerResponse;
}

export function isAllowedPreflight(origins: readonly string[], { method, headers }: IncomingRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && allowedAs(origins, headers.origin) !== undefined;
}

/** Allows every header, because clients send many beside ours. Leaves no record. */
export function answerPreflight(response: ServerResponse): void {
  response.writeHead(204, unrecordedHeaders(0));
  response.end();
}

function corsHeaders(origins: readonly string[], request: IncomingRequest): readonly string[] {
  const { origin, 'access-control-request-headers': requestedHeaders } = request.headers;
  const allowed = allowedAs(origins, origin);
  const vary = origins.includes('*') ? [] : ['vary', 'origin'];
  if (allowed === undefined) return vary;
  const own = [...vary, 'access-control-allow-origin', allowed, 'access-control-expose-headers', crossOrigin.exposed];
  if (!isAllowedPreflight(origins, request)) return own;
  own.push('access-control-allow-methods', crossOrigin.methods.join(', '), 'access-control-max-age', String(crossOrigin.maxAgeSeconds));
  if (requestedHeaders !== undefined) own.push('access-control-allow-headers', requestedHeaders, 'vary', 'access-control-request-headers');
  return own;
}

/** The headers as a flat list, in whichever form they were passed to Node. */
function flat(headers: HeadersInput | undefined): readonly OutgoingHttpHeader[] {
  if (headers === undefined) return [];
  return Array.isArray(headers) ? headers : Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

function isCorsHeader(name: OutgoingHttpHeader | undefined): boolean {
  return typeof name === 'string' && name.toLowerCase().startsWith('access-control-');
}

function allowedAs(origins: readonly string[], origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined;
  return origins.includes('*') ? '*' : origins.includes(origin) ? origin : undefined;
}
