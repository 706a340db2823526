import type { ServerResponse } from 'node:http';
import { GatelogError } from '../model/errors.ts';
import { type FrontPage, pageJson, pageText, wantsPage } from '../platform/http/front-page.ts';
import { enforceWriteTimeout } from '../platform/http/write-timeout.ts';
import { headerValue } from '../platform/http/header-list.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import { jsonBody, refuseUnrecorded } from './http/error-response.ts';
import { apiPathMessage } from './routing/routes.ts';
import { unrecordedHeaders } from './http/server-timing.ts';

const page: FrontPage = {
  title: 'Gatelog gateway',
  sentences: [
    'Send calls to LLM providers here, with this address as the base address of your client and a Gatelog key: each is passed on and recorded.',
    'The API that finds them again is on a port of its own (GATELOG_API_PORT, 8788 unless set).',
  ],
  links: { '/readyz': 'whether calls are taken', '/healthz': 'whether the process is alive' },
};

/** Paths that browsers and lost API clients request without a key. No provider has them. */
const handlers: Readonly<Record<string, (request: IncomingRequest, response: ServerResponse, clientStallMs: number) => void>> = {
  '/': handlePage,
  '/favicon.ico': (_request, response) => response.writeHead(204, unrecordedHeaders(0)).end(),
  '/metrics': refuseElsewhere,
  '/openapi.json': refuseElsewhere,
};

/** Responds without a record. @returns false for any other request. */
export function handleOwnPath(request: IncomingRequest, response: ServerResponse, clientStallMs: number): boolean {
  const handler = request.method === 'GET' || request.method === 'HEAD' ? handlers[request.url ?? ''] : undefined;
  if (handler === undefined || isDirected(request)) return false;
  handler(request, response, clientStallMs);
  return true;
}

/** A directive, such as a target address, makes the request a call; a key alone does not. */
function isDirected({ rawHeaders }: IncomingRequest): boolean {
  return rawHeaders.some((line, index) => index % 2 === 0 && /^(?:svc|helicone)-(?!auth$)/i.test(line));
}

export const maxOwnPath = Math.max(...Object.keys(handlers).map(({ length }) => length));

function handlePage(request: IncomingRequest, response: ServerResponse, clientStallMs: number): void {
  const isPage = wantsPage(headerValue(request.rawHeaders, 'accept'));
  const body = isPage ? Buffer.from(pageText(page)) : jsonBody(pageJson(page));
  const type = isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8';
  response.writeHead(200, ['content-type', type, 'content-length', String(body.length), 'vary', 'accept', ...unrecordedHeaders(0)]);
  response.end(request.method === 'HEAD' ? undefined : body);
  enforceWriteTimeout(response, clientStallMs);
}

function refuseElsewhere(_request: IncomingRequest, response: ServerResponse, clientStallMs: number): void {
  refuseUnrecorded(response, new GatelogError('not_found', apiPathMessage), unrecordedHeaders(0), clientStallMs);
}
