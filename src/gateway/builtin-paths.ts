import type { ServerResponse } from 'node:http';
import { GatelogError } from '../model/errors.ts';
import { frontPageResponse, type FrontPageResponse, type ListenerAddresses } from '../platform/http/front-page.ts';
import { enforceWriteTimeout } from '../platform/http/write-timeout.ts';
import { headerValue } from '../platform/http/header-list.ts';
import { gatewayFrontPage } from './front-page.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import { refuseUnrecorded } from './http/error-response.ts';
import { apiPathMessage } from './routing/routes.ts';
import { unrecordedHeaders } from './http/server-timing.ts';

type Handler = (request: IncomingRequest, response: ServerResponse, clientStallMs: number) => void;

/** Responds without a record. @returns false for any other request. */
export type HandleBuiltinPath = (request: IncomingRequest, response: ServerResponse, clientStallMs: number) => boolean;

/** Paths that browsers and lost API clients request without a key. No provider has them. */
const builtinPaths = ['/', '/favicon.ico', '/metrics', '/openapi.json', '/docs'] as const;

export const maxBuiltinPath = Math.max(...builtinPaths.map(({ length }) => length));

export function makeBuiltinPaths(addresses: ListenerAddresses): HandleBuiltinPath {
  const front = frontPageResponse(gatewayFrontPage(addresses));
  const handlers: Readonly<Record<(typeof builtinPaths)[number], Handler>> = {
    '/': (request, response, clientStallMs) => sendFrontPage(request, response, { clientStallMs, front }),
    '/favicon.ico': (_request, response) => response.writeHead(204, unrecordedHeaders(0)).end(),
    '/metrics': refuseElsewhere,
    '/openapi.json': refuseElsewhere,
    '/docs': refuseElsewhere,
  };
  const handlerOf = new Map<string | undefined, Handler>(Object.entries(handlers));
  return (request, response, clientStallMs) => {
    const handler = request.method === 'GET' || request.method === 'HEAD' ? handlerOf.get(request.url) : undefined;
    if (handler === undefined || isDirected(request)) return false;
    handler(request, response, clientStallMs);
    return true;
  };
}

/** A directive, such as a target address, makes the request a call; a key alone does not. */
function isDirected({ rawHeaders }: IncomingRequest): boolean {
  return rawHeaders.some((line, index) => index % 2 === 0 && /^(?:svc|helicone)-(?!auth$)/i.test(line));
}

interface FrontPageCall {
  readonly front: (accept: string | undefined) => FrontPageResponse;
  readonly clientStallMs: number;
}

function sendFrontPage(request: IncomingRequest, response: ServerResponse, { front, clientStallMs }: FrontPageCall): void {
  const { body, headers } = front(headerValue(request.rawHeaders, 'accept'));
  const bytes = Buffer.from(body);
  response.writeHead(200, [...Object.entries(headers).flat(), 'content-length', String(bytes.length), ...unrecordedHeaders(0)]);
  response.end(request.method === 'HEAD' ? undefined : bytes);
  enforceWriteTimeout(response, clientStallMs);
}

function refuseElsewhere(_request: IncomingRequest, response: ServerResponse, clientStallMs: number): void {
  refuseUnrecorded(response, new GatelogError('not_found', apiPathMessage), unrecordedHeaders(0), clientStallMs);
}
