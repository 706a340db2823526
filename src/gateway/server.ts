import { createServer, type IncomingMessage, type Server, type ServerOptions, ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, GatelogError } from '../model/errors.ts';
import { isSystemError } from '../platform/files.ts';
import type { ListenerAddresses } from '../platform/http/front-page.ts';
import type { Tls } from '../platform/http/tls.ts';
import { enforceWriteTimeout } from '../platform/http/write-timeout.ts';
import type { ForwardPorts } from './call/ports.ts';
import { answerPreflight, crossOriginResponses, isAllowedPreflight } from './http/cors.ts';
import { Draining, stoppingProblem } from './http/draining.ts';
import { forward } from './forward.ts';
import { type FrontOptions, makeFront } from './front/front.ts';
import { frontResponses } from './front/sandboxed.ts';
import { IncomingRequest } from './http/incoming-request.ts';
import { coalesceWritev } from '../platform/http/coalesce-writes.ts';
import { makeBuiltinPaths, maxBuiltinPath } from './builtin-paths.ts';
import { unrecordedHeaders } from './http/server-timing.ts';
import { jsonBody, errorBody, errorHeaders, refuseUnrecorded } from './http/error-response.ts';

export interface GatewayOptions {
  readonly headerMaxBytes: number;
  /** Maximum time to send headers and body, milliseconds. */
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Further connections receive 503 and are closed. */
  readonly maxConnections: number;
  /** Origins allowed by CORS; `*` for any. */
  readonly corsOrigins: readonly string[];
  /** Shown at `/`. */
  readonly addresses: ListenerAddresses;
  /** Of one listener for gateway and API; undefined where the API has its own. */
  readonly front?: FrontOptions | undefined;
  /** Undefined: plain http. */
  readonly tls?: Tls | undefined;
}

/** `ready` decides the status of `/readyz`; `degraded` names parts that fail without stopping calls. */
export interface GatewayHealth {
  readonly ready: boolean;
  readonly degraded: readonly string[];
}

const headersTimeoutMs = 60_000;
/** Connections count only once TLS stands. */
const handshakeTimeoutMs = 10_000;
/** Maximum interval at which Node checks for late requests. */
const lateCheckMs = 30_000;
/** How long a rejected connection is still read, so that its client can read the response. */
const lingerMs = 1000;

export interface GatewayServer {
  readonly server: Server;
  readonly draining: Draining;
  /** Takes a renewed certificate for new connections. */
  readonly renew: (tls: Tls) => void;
}

/** @returns a server that does not listen yet. */
export function createGatewayServer(ports: ForwardPorts, health: () => Promise<GatewayHealth>, options: GatewayOptions): GatewayServer {
  const { corsOrigins } = options;
  const takesOfApi = options.front === undefined ? undefined : makeFront(options.front);
  const hasCors = corsOrigins.length > 0;
  const { server, renew } = makeServer(options);
  // The connection that carries requests; of TLS, once it stands.
  const connected = options.tls === undefined ? 'connection' : 'secureConnection';
  const handleBuiltinPath = makeBuiltinPaths(options.addresses);
  const { monotonic } = ports.clock;
  const { clientStallMs } = ports.limits;
  /** The last response on each connection. */
  const lastResponses = new WeakMap<Duplex, ServerResponse>();
  const draining = new Draining(ports.callsInFlight, lastResponses);
  const ready = async (): Promise<GatewayHealth> => (draining.hasBegun ? { ready: false, degraded: ['stopping'] } : health());
  const handle = (request: IncomingRequest, response: ServerResponse): void => {
    if (isRejected(request.socket)) return;
    lastResponses.set(request.socket, response);
    if (takesOfApi?.(request, response) === true) return;
    const { url = '' } = request;
    const isHandshake = isWebSocketHandshake(request);
    if (url.length <= maxBuiltinPath && !isHandshake && handleBuiltinPath(request, response, clientStallMs)) return;
    if ((url === '/healthz' || url === '/readyz') && !isHandshake) {
      respondHealth(request, response, { health: ready, monotonic, clientStallMs });
    } else if (hasCors && isAllowedPreflight(corsOrigins, request)) {
      answerPreflight(response);
      enforceWriteTimeout(response, clientStallMs);
    } else takeCall(request, response);
  };
  const takeCall = (request: IncomingRequest, response: ServerResponse): void => {
    ports.callLog?.watch(request, response);
    const problem = draining.hasBegun ? stoppingProblem() : (problemOfHead(request) ?? ports.callsInFlight.enter(request.socket, response));
    if (problem === undefined) forward(ports, request, response);
    else refuseHead(ports, response, problem);
  };
  const refuseRaw = (socket: Duplex, problem: GatelogError): void => {
    ports.meter.refused(problem.code);
    writeRaw(socket, problem);
  };
  const isRejected = limitConnections(server, { max: options.maxConnections, connected, refuse: refuseRaw });
  // TRICKY: each pipelined call listens on its connection, and Node warns of a leak from eleven listeners on.
  server.on(connected, (socket: Socket) => socket.setMaxListeners(0));
  if (options.tls === undefined) server.on('connection', coalesceWritev);
  server.on(connected, draining.addConnection);
  server.on('request', handle);
  // `forward` sends 100 Continue itself. An unknown expectation is ignored, as RFC 9110 §10.1.1 allows.
  server.on('checkContinue', handle);
  server.on('checkExpectation', handle);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    refuseRaw(socket, new GatelogError('not_implemented', 'This gateway is no proxy for CONNECT; send requests to its own paths.'));
  });
  server.on('clientError', (error, socket) => {
    const problem = problemOfBytes(error, lastResponses.get(socket));
    if (problem === undefined) socket.destroy();
    // Node reports every further chunk after a parse error.
    else if (socket.writable) refuseRaw(socket, problem);
  });
  return { server, draining, renew };
}

function makeServer(options: GatewayOptions): Pick<GatewayServer, 'renew'> & { readonly server: Server<typeof IncomingRequest> } {
  const responses = responsesOf(options);
  const settings: ServerOptions<typeof IncomingRequest> = {
    IncomingMessage: IncomingRequest,
    ...(responses === undefined ? {} : { ServerResponse: responses }),
    maxHeaderSize: options.headerMaxBytes,
    // Node requires headersTimeout <= requestTimeout.
    headersTimeout: Math.min(headersTimeoutMs, options.requestTimeoutMs),
    requestTimeout: options.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(lateCheckMs, options.requestTimeoutMs / 4),
    keepAliveTimeout: options.keepAliveTimeoutMs,
    noDelay: true,
    // Node's own 400 has no identifier; `problemOfHead` rejects instead.
    requireHostHeader: false,
  };
  const secure =
    options.tls === undefined
      ? undefined
      : createSecureServer<typeof IncomingRequest>({ ...settings, ...options.tls, handshakeTimeout: handshakeTimeoutMs });
  // https.Server has all that is used of http.Server; Node's types do not say so.
  const server = (secure ?? createServer(settings)) as Server<typeof IncomingRequest>;
  // TRICKY: Node silently drops headers beyond the 2,000th; their bytes are limited already.
  server.maxHeadersCount = 0;
  return { server, renew: (tls) => secure?.setSecureContext(tls) };
}

/** Undefined: Node's own. */
function responsesOf({ corsOrigins, front }: GatewayOptions): typeof ServerResponse | undefined {
  const readable = corsOrigins.length > 0 ? crossOriginResponses(corsOrigins) : undefined;
  return front === undefined ? readable : frontResponses(readable ?? ServerResponse);
}

interface ConnectionLimit {
  readonly max: number;
  /** The event of a new connection. */
  readonly connected: 'connection' | 'secureConnection';
  readonly refuse: (socket: Duplex, problem: GatelogError) => void;
}

/**
 * Rejects connections beyond a limit. TRICKY: not by Node's `maxConnections`, with which the cluster hands such a connection to the same
 * full worker again and again.
 * @returns whether a connection was rejected; its requests are ignored.
 */
function limitConnections(server: Server, { max, connected, refuse }: ConnectionLimit): (socket: Duplex) => boolean {
  const rejected = new WeakSet<Duplex>();
  const open = { accepted: 0, refused: 0 };
  server.on(connected, (socket: Socket) => {
    const kind = open.accepted < max ? 'accepted' : 'refused';
    open[kind] += 1;
    socket.once('close', () => {
      open[kind] -= 1;
    });
    if (kind === 'accepted') return;
    rejected.add(socket);
    const problem = new GatelogError('too_many_connections', 'This gateway has as many connections as it takes. Try again in a moment.');
    // Respond to some; in a storm, just close.
    if (open.refused <= max) refuse(socket, problem);
    else socket.destroy();
  });
  return (socket) => open.refused > 0 && rejected.has(socket);
}

/**
 * The methods of providers' APIs. TRICKY: a response to TRACE repeats the request with its key, which may be the deployment's. Methods of
 * WebDAV and caches are no use of a shared key.
 */
const forwardedMethods: readonly (string | undefined)[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function isForwarded(method: string | undefined): boolean {
  return method === 'POST' || forwardedMethods.includes(method);
}

/** RFC 6455 §4.1: a GET of HTTP/1.1. RFC 9110 §7.8: HTTP/1.0 knows no upgrade, and a server may ignore any other offer. */
function isWebSocketHandshake({ method, httpVersion, headers }: IncomingRequest): boolean {
  return (
    method === 'GET' && httpVersion === '1.1' && headers.upgrade !== undefined && /(?:^|[\s,])websocket(?:$|[\s,/])/i.test(headers.upgrade)
  );
}

/**
 * Why a request cannot become a call. TRICKY: there is no `upgrade` listener. With one, Node would pass it every request with an `Upgrade`
 * header, also the offer of HTTP/2 by Java and curl, which a server may ignore.
 */
function problemOfHead(request: IncomingRequest): GatelogError | undefined {
  const { headers, httpVersion, method } = request;
  if (!isForwarded(method)) {
    return new GatelogError('method_not_allowed', `The gateway takes ${forwardedMethods.join(', ')}, and no ${method ?? 'other method'}.`);
  }
  if (isWebSocketHandshake(request)) {
    return new GatelogError('websocket_not_supported', 'This gateway carries no WebSockets; send the same call as an HTTP request.');
  }
  // TRICKY: Node's parser accepts other versions too, such as 0.9 and 2.0.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return new GatelogError('malformed_request', `The gateway speaks HTTP/1.1; HTTP/${httpVersion} is not known here.`);
  }
  const needsHost = httpVersion === '1.1' && headers.host === undefined;
  return needsHost ? new GatelogError('malformed_request', 'An HTTP/1.1 request needs a Host header.') : undefined;
}

/** Rejects a request before any work. On `too_many_calls` the connection stays open: earlier pipelined calls may still run on it. */
function refuseHead({ meter, limits, callLog }: ForwardPorts, response: ServerResponse, problem: GatelogError): void {
  meter.refused(problem.code);
  callLog?.failed(response, problem.code);
  const closeHeader = problem.code === 'too_many_calls' ? [] : ['connection', 'close'];
  refuseUnrecorded(response, problem, [...unrecordedHeaders(0), ...remedyHeader(problem.code), ...closeHeader], limits.clientStallMs);
}

/** What RFC 9110 §15.5.6 and §15.5.22 require with the status. */
function remedyHeader(code: ErrorCode): readonly string[] {
  if (code === 'method_not_allowed') return ['allow', forwardedMethods.join(', ')];
  // TRICKY: on any other status Codex tries its WebSocket six times more, for seven seconds; on 426 it turns to HTTP at once.
  return code === 'websocket_not_supported' ? ['upgrade', 'HTTP/1.1'] : [];
}

interface HealthPorts {
  readonly health: () => Promise<GatewayHealth>;
  readonly monotonic: () => number;
  readonly clientStallMs: number;
}

function respondHealth(request: IncomingMessage, response: ServerResponse, { health, monotonic, clientStallMs }: HealthPorts): void {
  const startedAt = monotonic();
  const answered = request.url === '/healthz' ? Promise.resolve(alive) : health();
  answered
    .catch((): GatewayHealth => ({ ready: false, degraded: [] }))
    .then(({ ready, degraded }) => {
      const body = jsonBody({ status: ready ? 'ok' : 'unavailable', degraded });
      const gatewayHeaders = unrecordedHeaders(monotonic() - startedAt);
      response.writeHead(ready ? 200 : 503, ['content-type', 'application/json', 'content-length', String(body.length), ...gatewayHeaders]);
      response.end(request.method === 'HEAD' ? undefined : body);
      enforceWriteTimeout(response, clientStallMs);
    })
    .catch(() => response.destroy());
}

const alive: GatewayHealth = { ready: true, degraded: [] };

/**
 * The error for bytes that Node's parser rejects. Undefined where no response can be written: the connection was reset, or it has a call in
 * flight, which sees the disconnect itself.
 */
function problemOfBytes(error: Error, lastResponses: ServerResponse | undefined): GatelogError | undefined {
  const code = isSystemError(error) ? error.code : undefined;
  if (
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    (lastResponses !== undefined && !(lastResponses.writableFinished && lastResponses.req.complete))
  ) {
    return undefined;
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new GatelogError(
      'headers_too_large',
      'The request headers are over the gateway limit (GATELOG_HEADER_MAX_BYTES). Send large properties in fewer bytes.',
    );
  }
  return code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? new GatelogError('request_timeout', 'The request did not arrive in time (GATELOG_REQUEST_TIMEOUT_MS).')
    : new GatelogError('malformed_request', 'This is not a well-formed HTTP/1.1 request.');
}

/** TRICKY: closing at once, with unread bytes of the client, would reset the connection and lose the response. */
function writeRaw(socket: Duplex, error: GatelogError): void {
  const body = errorBody(error);
  const headers = [...errorHeaders(error, body.length), ...unrecordedHeaders(0), 'connection', 'close'];
  let head = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n`;
  for (let index = 0; index < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  socket.on('error', () => socket.destroy());
  socket.once('end', () => socket.destroy());
  socket.end(`${head}\r\n${body.toString('utf8')}`);
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
