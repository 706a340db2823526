import { Pool } from 'undici';
import { GatelogError } from '../model/errors.ts';
import type { Relay } from './relay.ts';

/** What goes to a provider. */
export interface ProviderRequest {
  readonly method: string;
  readonly url: URL;
  /** Header lines, name and value in turn. */
  readonly headers: string[];
  readonly body: Buffer | AsyncIterable<Uint8Array> | null;
}

export interface UpstreamOptions {
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** Longest silence within a response body. */
  readonly bodyTimeoutMs: number;
  /** Connections to one origin from one worker; further calls wait. */
  readonly connections: number;
  readonly headerMaxBytes: number;
}

export interface Upstream {
  /** Sends a request and feeds the reply to the relay. Never throws: a failure reaches the relay. */
  readonly send: (request: ProviderRequest, relay: Relay) => void;
  readonly close: () => Promise<void>;
}

const longestIdleMs = 30_000;

/** Connections to providers: one pool an origin, kept alive. */
export function makeUpstream(options: UpstreamOptions): Upstream {
  const pools = new Map<string, Pool>();
  const poolFor = (origin: string): Pool => {
    const existing = pools.get(origin);
    if (existing !== undefined) return existing;
    const pool = new Pool(origin, {
      connections: options.connections,
      pipelining: 1,
      keepAliveTimeout: longestIdleMs,
      headersTimeout: options.headersTimeoutMs,
      bodyTimeout: options.bodyTimeoutMs,
      maxHeaderSize: options.headerMaxBytes,
      connect: { timeout: options.connectTimeoutMs },
    });
    pools.set(origin, pool);
    return pool;
  };
  return {
    send: (request, relay) => {
      try {
        dispatch(poolFor(request.url.origin), request, relay);
      } catch (error) {
        relay.fail(providerFailure(error));
      }
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

function dispatch(pool: Pool, request: ProviderRequest, relay: Relay): void {
  const { url, method, headers, body } = request;
  pool.dispatch(
    // undici writes an iterable as a stream and reads back-pressure off it; its own type names only Node's streams.
    { path: url.pathname + url.search, method: method as 'POST', headers, body: body as Buffer | null },
    {
      onRequestStart: (controller) => relay.begin(controller),
      onResponseStart: (controller, status, _headers, message) => relay.start(status, headerLines(controller.rawHeaders), message ?? ''),
      onResponseData: (_controller, chunk) => relay.data(chunk),
      onResponseEnd: () => relay.finish(),
      onResponseError: (_controller, error) => relay.fail(providerFailure(error)),
    },
  );
}

function headerLines(raw: unknown): string[] {
  return Array.isArray(raw) ? raw.map((part: unknown) => (Buffer.isBuffer(part) ? part.toString('latin1') : String(part))) : [];
}

const timeoutCodes = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);

/** An error of the connection as one of ours. An error that is already ours, such as a body over its limit, stays. */
function providerFailure(error: unknown): GatelogError {
  if (error instanceof GatelogError) return error;
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (timeoutCodes.has(code)) {
    return new GatelogError('provider_timeout', 'The provider did not answer in time. Try again, or raise the time-out settings of the gateway.', { cause: error });
  }
  const reason = code === '' ? '' : ` (${code})`;
  return new GatelogError('provider_unreachable', `The provider could not be reached, or closed the connection before it answered${reason}. Try again.`, {
    cause: error,
  });
}
