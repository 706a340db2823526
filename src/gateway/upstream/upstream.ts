/**
 * An HTTP/1.1 client for calls to providers, in place of a library: one exchange at a time on a connection, which is then kept alive.
 *
 * Implements: RFC 9110 §6.4.1 (responses without content), §8.6 (Content-Length of requests), §15.2 (interim responses before the final
 * one); RFC 9112 §2 to §5 (start line and header fields, without obsolete folding), §6.1 and §6.3 (framing of the body; a response with
 * two lengths, or with a length and a transfer coding, is rejected), §7.1 (chunks; extensions and trailers are dropped), §9.3 and §9.6
 * (persistence, `Connection: close`). `Keep-Alive: timeout` follows draft-thomson-hybi-http-timeout-03; RFC 2068 §19.7.1.1 defines the
 * header, but no parameters. An ambiguous response is rejected and its connection closed.
 *
 * A request whose connection turns out stale is sent once more, on record (docs/internals/decisions/0023-sending-once-more.md). About any
 * other attempt the retry policy decides.
 *
 * Not supported: pipelining, `Expect: 100-continue`, upgrades (101 is an error), CONNECT, trailers, proxies, HTTP/2.
 */
import type { LookupFunction, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { GatelogError } from '../../model/errors.ts';
import { isSystemError } from '../../platform/files.ts';
import type { HeaderList } from '../../platform/http/header-list.ts';
import { makeConnector } from './connector.ts';
import { NameLookUps } from './name-look-ups.ts';
import { outgoingHead } from './request-head.ts';
import { type ConnectionLimits, type ProviderConnection, ResponseTimeoutError } from './connection.ts';
import { type ConnectionCounts, PoolExhaustedError, PoolClosedError, ProviderPool, ShareTakenError } from './pool.ts';
import { PendingRequest } from './pending-request.ts';
import { ResponseBatcher } from './response-batcher.ts';
import { InvalidResponseError } from './response-head.ts';
import { HeadersTooLargeError } from './response-parser.ts';
import type { ResponseSink } from './response-sink.ts';

export interface ProviderRequest {
  readonly organizationId: string;
  readonly method: string;
  readonly origin: string;
  /** Path and query, sent unchanged. */
  readonly path: string;
  /** Set when the caller chose the host: the egress policy's resolver. */
  readonly lookUp: LookupFunction | undefined;
  /** Names and values in turn, without any that give the length of the body. */
  readonly lines: HeaderList;
  readonly credentials: HeaderList;
  readonly body: Buffer | Readable | null;
  /** Length of a streamed body, if its sender announced it. */
  readonly contentLength: number | undefined;
  /** Called when a buffered body has been written; this client no longer holds it then. */
  readonly sent?: (() => void) | undefined;
}

export interface UpstreamOptions extends ConnectionLimits {
  readonly connectTimeoutMs: number;
  /** Maximum number of connections to one origin from one worker; further calls wait, at most `headersTimeoutMs`. */
  readonly connections: number;
  /** Maximum share of an organisation in the connections to one origin that the others leave. */
  readonly organizationSharePercent: number;
  /** Maximum wait of a call whose organisation uses its full share. */
  readonly shareWaitMs: number;
}

export interface Upstream {
  /** Sends a request and feeds the response to the sink. Never throws: failures reach the sink. */
  readonly send: (request: ProviderRequest, sink: ResponseSink) => void;
  /** Connections to all providers. */
  readonly counts: () => ConnectionCounts;
  readonly close: () => Promise<void>;
}

/** Maximum number of pools for hosts that callers named; the least recently used one is retired. */
const maxNamedHosts = 256;
/**
 * Interval of the time-out checks as a share of the shortest time-out, within the bounds. A time-out is noticed up to two intervals late.
 */
const checkIntervalShare = 0.1;
const checkIntervalBounds = { minMs: 10, maxMs: 1000 };

/**
 * Connections to providers, one pool per origin.
 * Invariant: a host that a caller named, in `Svc-Target-Url` or in the path, has a pool of its own, whose connections all use the egress
 * policy's resolver, even if the deployment itself calls a host of that name. An origin has one resolver, so both ways to name it share a
 * pool.
 */
export function makeUpstream(options: UpstreamOptions): Upstream {
  const pools = new Map<string, ProviderPool>();
  const named = new Map<string, ProviderPool>();
  /** Retired pools, whose calls run to their end. */
  const retired = new Set<ProviderPool>();
  const lookUps = new NameLookUps();
  let isClosed = false;
  const all = (): ProviderPool[] => [...pools.values(), ...named.values(), ...retired];
  const poolFor = (origin: string): ProviderPool => {
    const existing = pools.get(origin);
    if (existing !== undefined) return existing;
    const pool = openPool(origin, options);
    pools.set(origin, pool);
    return pool;
  };
  const namedPoolFor = (origin: string, lookUp: LookupFunction): ProviderPool => {
    const pool = named.get(origin) ?? openPool(origin, options, { lookUp, lookUps });
    // Moved to the end: a Map keeps the order of insertion.
    named.delete(origin);
    named.set(origin, pool);
    const [oldest] = named;
    if (named.size > maxNamedHosts && oldest !== undefined) {
      const [oldestOrigin, evicted] = oldest;
      named.delete(oldestOrigin);
      evicted.retire();
      retired.add(evicted);
    }
    return pool;
  };
  const checkTimer = setInterval(() => {
    const now = options.monotonic();
    for (const pool of all()) pool.checkTimeouts(now);
    for (const pool of retired) if (pool.hasEnded()) retired.delete(pool);
  }, checkIntervalMs(options));
  checkTimer.unref();
  return {
    send: (request, sink) => {
      const { origin, lookUp, body } = request;
      try {
        if (isClosed) throw new PoolClosedError();
        send(lookUp === undefined ? poolFor(origin) : namedPoolFor(origin, lookUp), request, sink);
      } catch (error) {
        if (body !== null && !Buffer.isBuffer(body)) body.destroy();
        sink.fail(providerFailure(error));
      }
    },
    counts: () => countsOf(all()),
    close: async () => {
      isClosed = true;
      clearInterval(checkTimer);
      for (const pool of all()) pool.close();
    },
  };
}

function send(pool: ProviderPool, request: ProviderRequest, sink: ResponseSink): void {
  const { organizationId, method, path, lines, credentials, body, contentLength, sent } = request;
  const bodyBytes = body === null || Buffer.isBuffer(body) ? (body?.length ?? 0) : contentLength;
  const head = outgoingHead({ method, path, host: pool.options.host, headers: lines, credentials, bodyBytes });
  const wire = { method, head, body, contentLength, sent };
  const call = new PendingRequest(pool, organizationId, wire, new ResponseBatcher(sink, providerFailure));
  sink.begin(call);
  call.send();
}

function checkIntervalMs({ headersTimeoutMs, bodyTimeoutMs, idleTimeoutMs, shareWaitMs }: UpstreamOptions): number {
  const shortest = Math.min(headersTimeoutMs, bodyTimeoutMs, idleTimeoutMs, shareWaitMs);
  return Math.min(checkIntervalBounds.maxMs, Math.max(checkIntervalBounds.minMs, shortest * checkIntervalShare));
}

function countsOf(pools: readonly ProviderPool[]): ConnectionCounts {
  let [busy, idle, waiting] = [0, 0, 0];
  for (const pool of pools) {
    const counts = pool.counts();
    busy += counts.busy;
    idle += counts.idle;
    waiting += counts.waiting;
  }
  return { busy, idle, waiting };
}

/** Shared by all connections: each read is consumed before the next. */
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024);
const connections = new WeakMap<Socket, ProviderConnection>();

function passRead(this: Socket, bytes: number): boolean {
  connections.get(this)?.read(readBuffer.subarray(0, bytes));
  return true;
}

/** A host that a caller chose. */
interface NamedHost {
  readonly lookUp: LookupFunction;
  readonly lookUps: NameLookUps;
}

function openPool(origin: string, options: UpstreamOptions, named?: NamedHost): ProviderPool {
  let connectingFor = '';
  const lookup = named?.lookUps.limited(named.lookUp, () => connectingFor);
  const connect = makeConnector(origin, {
    timeoutMs: options.connectTimeoutMs,
    lookup,
    onread: { buffer: readBuffer, callback: passRead },
  });
  return new ProviderPool({
    ...options,
    host: new URL(origin).host,
    connect: (connected, organizationId) => {
      // Node starts the lookup before this returns.
      connectingFor = organizationId;
      connect((error, socket) => {
        const connection = connected(error, socket);
        if (socket !== null && connection !== undefined) connections.set(socket, connection);
      });
    },
  });
}

/** Maps a connection's error to a public one. A GatelogError, such as one for an oversized body, stays as it is. */
function providerFailure(error: unknown): GatelogError {
  if (error instanceof GatelogError) return error;
  if (error instanceof ShareTakenError) return new GatelogError('too_many_calls', shareSentence(error), { cause: error });
  const code = isSystemError(error) ? error.code : undefined;
  if (error instanceof ResponseTimeoutError || code === 'ETIMEDOUT') {
    return new GatelogError('provider_timeout', timeoutSentence(error), { cause: error });
  }
  return new GatelogError('provider_unreachable', unreachableSentence(error, code), { cause: error });
}

function shareSentence(error: ShareTakenError): string {
  return (
    'The calls of your organisation have as many connections to this provider as it may have beside others ' +
    `(GATELOG_ORGANIZATION_SHARE_PERCENT: ${error.percent} of what others leave of GATELOG_PROVIDER_CONNECTIONS: ${error.connections}). ` +
    'The provider was not called. Try again when some of them have ended.'
  );
}

function timeoutSentence(error: unknown): string {
  return error instanceof PoolExhaustedError
    ? `All connections to the provider (GATELOG_PROVIDER_CONNECTIONS: ${error.connections}) were busy for as long as a call waits for one. Try again, or allow more.`
    : 'The provider did not answer in time. Try again, or raise the time-out settings of the gateway.';
}

function unreachableSentence(error: unknown, code: string | undefined): string {
  if (error instanceof PoolClosedError) return 'The gateway is about to end, and broke the call off. Try again.';
  if (error instanceof HeadersTooLargeError) {
    return 'The head of what the provider answered is over the limit of the gateway (GATELOG_HEADER_MAX_BYTES).';
  }
  if (error instanceof InvalidResponseError) return `What the provider answered is not HTTP/1.1: ${error.message}.`;
  const host = isSystemError(error) && 'hostname' in error && typeof error.hostname === 'string' ? error.hostname : undefined;
  if (host !== undefined && code === 'ENOTFOUND') {
    return `There is no host "${host}" (ENOTFOUND), so the provider was not called. Fix the address: Svc-Target-Url, or the setting GATELOG_PROVIDER_<NAME>_URL.`;
  }
  if (host !== undefined && code === 'EAI_AGAIN') {
    return `The name of the host "${host}" could not be looked up (EAI_AGAIN): this machine reaches no name server. Try again, or fix its DNS.`;
  }
  if (code === 'ECONNREFUSED') {
    return 'Nothing listens at the address of the provider (ECONNREFUSED). Start it, or fix the address: Svc-Target-Url, or the setting GATELOG_PROVIDER_<NAME>_URL.';
  }
  const reason = code === undefined ? '' : ` (${code})`;
  return `The provider could not be reached, or closed the connection before it answered${reason}. Try again.`;
}
