import { Agent, type IncomingMessage, request as startRequest, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { GatelogError } from '../../model/errors.ts';
import { clientAddressHeader } from '../../platform/http/client-address.ts';
import { filterHeaders, type HeaderList, headerValues } from '../../platform/http/header-list.ts';
import { connectionTokens, hopByHopNames } from '../http/headers.ts';

export interface PassOnOptions {
  /** Of the core's API; undefined before it has started. */
  readonly coreAddress: () => string | undefined;
  /** What tells the core which client called, so that no client can tell it. */
  readonly clientAddressLine: (request: IncomingMessage) => string;
}

/**
 * Idle connections end long before the core would end them. TRICKY: not one connection per request: to one that ends with its response Node
 * sends a reset when it has not read the whole body, and the response is lost.
 */
const agent = new Agent({ keepAlive: true, maxFreeSockets: 16, timeout: 4000 });
/** `host` and `expect` are not about one connection alone: the core needs the first one, and the second one is answered here. */
const ownNames: ReadonlySet<string> = new Set(['connection', ...hopByHopNames].filter((name) => name !== 'host'));

/**
 * Passes a request on to the core's API and its response back, both as they come: neither is held, and who reads slowly slows the other side.
 * When one side breaks off, the other one sees that.
 */
export function passOn(request: IncomingMessage, response: ServerResponse, options: PassOnOptions): void {
  const address = options.coreAddress();
  if (address === undefined) return refuse(response);
  const { hostname, port } = new URL(address);
  const { method, url: path, headers } = request;
  const outgoing = startRequest({ agent, hostname, port, method, path, headers: requestHeaders(request, options) });
  outgoing.once('socket', outliveResponse);
  let isAnswered = false;
  // What is left of a body that nobody takes is read all the same, so that its client comes to read the answer.
  const readOn = (): void => void request.unpipe(outgoing).resume();
  outgoing.once('response', (answer) => {
    isAnswered = true;
    passBack(answer, response);
  });
  outgoing.on('error', () => {
    readOn();
    // A core that needs no more of a body answers and closes; its answer has errors of its own.
    if (!isAnswered) refuse(response);
  });
  request.on('error', () => outgoing.destroy());
  response.once('close', () => {
    readOn();
    outgoing.destroy();
  });
  if (headers.expect !== undefined) response.writeContinue();
  request.pipe(outgoing);
}

const guarded = new WeakSet<Socket>();

/**
 * TRICKY: Node takes its listeners from a socket once the response has ended, also while the rest of a body is being written: a failure of
 * that write would end the process.
 */
function outliveResponse(socket: Socket): void {
  if (guarded.has(socket)) return;
  guarded.add(socket);
  socket.on('error', () => undefined);
}

function requestHeaders(request: IncomingMessage, { clientAddressLine }: PassOnOptions): string[] {
  const { rawHeaders } = request;
  const isChunked = headerValues(rawHeaders, 'transfer-encoding').length > 0;
  const hasLength = headerValues(rawHeaders, 'content-length').length > 0;
  const kept = withoutOwn(rawHeaders, (name) => name !== clientAddressHeader);
  // TRICKY: Node would add `Transfer-Encoding: chunked` to a POST without a body.
  const length = hasLength || request.method === 'GET' || request.method === 'HEAD' ? [] : ['Content-Length', '0'];
  const framing = isChunked ? ['Transfer-Encoding', 'chunked'] : length;
  return [...kept, ...framing, clientAddressHeader, clientAddressLine(request)];
}

function passBack(answer: IncomingMessage, response: ServerResponse): void {
  if (response.destroyed) return void answer.destroy();
  // The core's response has a date.
  response.sendDate = false;
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, withoutOwn(answer.rawHeaders));
  // A live stream may have nothing to say for a while.
  response.flushHeaders();
  pipeline(answer, response, (error) => {
    if (error) response.destroy();
  });
}

function withoutOwn(list: HeaderList, keeps: (name: string) => boolean = () => true): string[] {
  let declared: Set<string> | undefined;
  for (const connection of headerValues(list, 'connection')) declared = connectionTokens(declared, connection);
  return filterHeaders(list, (name) => !ownNames.has(name) && declared?.has(name) !== true && keeps(name));
}

function refuse(response: ServerResponse): void {
  if (response.destroyed || response.headersSent) return;
  const { status, message, code } = new GatelogError(
    'api_unavailable',
    'The API is starting, or starts again; try again in a moment. The gateway takes calls meanwhile.',
  );
  const body = Buffer.from(`${JSON.stringify({ data: null, error: message, code })}\n`);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    'x-content-type-options': 'nosniff',
    'retry-after': '2',
  });
  response.end(body);
}
