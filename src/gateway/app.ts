import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { v7 } from 'uuid';
import { GatelogError } from '../model/errors.ts';
import { isSystemError } from '../platform/files.ts';
import { forward, type ForwardPorts } from './forward.ts';
import { refusalBody, refusalHeaders } from './refusal.ts';

export interface GatewayOptions {
  readonly headerMaxBytes: number;
  /** Longest time for a caller to send its head and body, milliseconds. */
  readonly requestTimeoutMs: number;
}

/** Health as `/readyz` tells it: `ready` decides the status, `degraded` names parts that fail without stopping calls. */
export interface GatewayHealth {
  readonly ready: boolean;
  readonly degraded: readonly string[];
}

const headersTimeoutMs = 60_000;
const keepAliveTimeoutMs = 75_000;

/** The gateway's HTTP server, not yet listening. */
export function createGateway(ports: ForwardPorts, health: () => GatewayHealth, options: GatewayOptions): Server {
  const server = createServer(
    {
      maxHeaderSize: options.headerMaxBytes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: options.requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      noDelay: true,
    },
    (request, response) => {
      if (request.url === '/healthz' || request.url === '/readyz') answerHealth(request, response, health);
      else forward(ports, request, response);
    },
  );
  server.on('clientError', answerClientError);
  server.on('upgrade', (_request: IncomingMessage, socket: Duplex) => {
    writeRaw(socket, new GatelogError('not_implemented', 'WebSocket and other upgrades are not supported by this gateway; use plain HTTP.'));
  });
  return server;
}

function answerHealth(request: IncomingMessage, response: ServerResponse, health: () => GatewayHealth): void {
  const state = request.url === '/healthz' ? { ready: true, degraded: [] } : health();
  const body = JSON.stringify({ status: state.ready ? 'ok' : 'unavailable', degraded: state.degraded });
  response.writeHead(state.ready ? 200 : 503, { 'content-type': 'application/json' });
  response.end(body);
}

/** What Node's parser refuses never becomes a request; the answer is written by hand, with an identifier as on every reply. */
function answerClientError(error: Error, socket: Duplex): void {
  if (!socket.writable || (isSystemError(error) && error.code === 'ECONNRESET')) {
    socket.destroy();
    return;
  }
  const overflow = isSystemError(error) && error.code === 'HPE_HEADER_OVERFLOW';
  writeRaw(
    socket,
    overflow
      ? new GatelogError('headers_too_large', 'The request headers are over the gateway limit (GATELOG_HEADER_MAX_BYTES). Send large properties in fewer bytes.')
      : new GatelogError('malformed_request', 'This is not a well-formed HTTP/1.1 request.'),
  );
}

function writeRaw(socket: Duplex, error: GatelogError): void {
  const body = refusalBody(error);
  const lines = [...refusalHeaders(error, body.length), 'svc-id', v7(), 'connection', 'close'];
  let head = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n`;
  for (let index = 0; index < lines.length; index += 2) head += `${lines[index]}: ${lines[index + 1]}\r\n`;
  socket.end(`${head}\r\n${body.toString('utf8')}`);
}
