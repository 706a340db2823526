import type { ServerResponse } from 'node:http';
import { v7 } from 'uuid';
import { GatelogError } from '../model/errors.ts';
import { type FrontPage, pageJson, pageText, wantsPage } from '../platform/http/front-page.ts';
import { enforceWriteTimeout } from '../platform/http/write-timeout.ts';
import { headerValue } from '../platform/http/header-list.ts';
import type { IncomingRequest } from './http/incoming-request.ts';
import { jsonBody, refuseUnrecorded } from './http/error-response.ts';
import { elsewhere } from './routing/routes.ts';
import { serverTiming } from './http/server-timing.ts';

const page: FrontPage = {
  title: 'Gatelog gateway',
  sentences: [
    'Send calls to LLM providers here, with this address as the base address of your client and a Gatelog key: each is passed on and recorded.',
    'The API that finds them again is on a port of its own (GATELOG_API_PORT, 8788 unless set).',
  ],
  links: { '/readyz': 'whether calls are taken', '/healthz': 'whether the process is alive' },
};

/** Paths of the API's that are asked for without a key, and of ours. No provider has them. */
const answers: Readonly<Record<string, (request: IncomingRequest, response: ServerResponse, clientStallMs: number) => void>> = {
  '/': handlePage,
  '/favicon.ico': (_request, response) => response.writeHead(204, ownLines()).end(),
  '/metrics': refuseElsewhere,
  '/openapi.json': refuseElsewhere,
};

/** Answers what a browser, or somebody who looks for the API, asks this listener for. Without a record. @returns false for anything else. */
export function answerOwnPath(request: IncomingRequest, response: ServerResponse, clientStallMs: number): boolean {
  const answer = request.method === 'GET' || request.method === 'HEAD' ? answers[request.url ?? ''] : undefined;
  if (answer === undefined || isDirected(request)) return false;
  answer(request, response, clientStallMs);
  return true;
}

/** With a header that says what is to be done, such as the address that the path is of, it is a call. A key says nothing of that. */
function isDirected({ rawHeaders }: IncomingRequest): boolean {
  return rawHeaders.some((line, index) => index % 2 === 0 && /^(?:svc|helicone)-(?!auth$)/i.test(line));
}

/** No own path is longer. */
export const maxOwnPath = Math.max(...Object.keys(answers).map(({ length }) => length));

function handlePage(request: IncomingRequest, response: ServerResponse, clientStallMs: number): void {
  const isPage = wantsPage(headerValue(request.rawHeaders, 'accept'));
  const body = isPage ? Buffer.from(pageText(page)) : jsonBody(pageJson(page));
  const type = isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8';
  response.writeHead(200, ['content-type', type, 'content-length', String(body.length), 'vary', 'accept', ...ownLines()]);
  response.end(request.method === 'HEAD' ? undefined : body);
  enforceWriteTimeout(response, clientStallMs);
}

function refuseElsewhere(_request: IncomingRequest, response: ServerResponse, clientStallMs: number): void {
  refuseUnrecorded(response, new GatelogError('not_found', elsewhere), ownLines(), clientStallMs);
}

/** Our lines on an answer for which nothing was done, name and value in turn. */
export function ownLines(): string[] {
  return ['svc-id', v7(), 'server-timing', serverTiming(0)];
}
