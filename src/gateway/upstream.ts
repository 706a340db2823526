import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { buildConnector, type Dispatcher, errors, Pool } from 'undici';
import { GatelogError } from '../model/errors.ts';
import { isSystemError } from '../platform/files.ts';
import type { ConnectionCounts } from './metrics.ts';
import type { ReplySink } from './reply-sink.ts';

/** What goes to a provider. */
export interface ProviderRequest {
  readonly method: string;
  readonly origin: string;
  /** Path and query, as they go out. */
  readonly path: string;
  /** Set when the caller chose the host: how the guard resolves its name. */
  readonly lookUp: LookupFunction | undefined;
  /** Header lines, name and value in turn. */
  readonly headers: string[];
  readonly body: Buffer | Readable | null;
}

export interface UpstreamOptions {
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** Longest silence within a response body. */
  readonly bodyTimeoutMs: number;
  /** Connections to one origin from one worker; further calls wait. */
  readonly connections: number;
  /** How long a connection is kept for the next call, milliseconds, unless the provider says another time. */
  readonly idleTimeoutMs: number;
  readonly headerMaxBytes: number;
}

export interface Upstream {
  /** Sends a request and feeds the reply to the sink. Never throws: a failure reaches the sink. */
  readonly send: (request: ProviderRequest, sink: ReplySink) => void;
  /** The connections to all providers right now. */
  readonly counts: () => ConnectionCounts;
  readonly close: () => Promise<void>;
}

/** Most hosts named by callers whose connections are kept; one that was not called for the longest time makes room. */
const mostNamedHosts = 256;

/**
 * Connections to providers: one pool an origin, kept alive.
 * Invariant: a host that a caller named, in `Svc-Target-Url` or in the path, has a pool of its own, whose every connection goes where the guard's
 * check said, also when the deployment itself calls a host of that name. One origin has one check, so one pool serves both ways to name it.
 */
export function makeUpstream(options: UpstreamOptions): Upstream {
  const pools = new Map<string, Pool>();
  const named = new Map<string, Pool>();
  /** Pools that made room; what runs on them runs to its end. */
  const leaving = new Set<Pool>();
  const poolFor = (origin: string): Pool => {
    const existing = pools.get(origin);
    if (existing !== undefined) return existing;
    const pool = openPool(origin, options);
    pools.set(origin, pool);
    return pool;
  };
  const namedPoolFor = (origin: string, lookUp: LookupFunction): Pool => {
    const pool = named.get(origin) ?? openPool(origin, options, lookUp);
    // The one called last stands last.
    named.delete(origin);
    named.set(origin, pool);
    const [oldest] = named;
    if (named.size > mostNamedHosts && oldest !== undefined) {
      const [oldestOrigin, left] = oldest;
      named.delete(oldestOrigin);
      leaving.add(left);
      left
        .close()
        .finally(() => leaving.delete(left))
        .catch(() => undefined);
    }
    return pool;
  };
  return {
    send: (request, sink) => {
      const { origin, lookUp } = request;
      try {
        dispatch(lookUp === undefined ? poolFor(origin) : namedPoolFor(origin, lookUp), request, sink);
      } catch (error) {
        giveUp(request, sink, error);
      }
    },
    counts: () => countsOf([...pools.values(), ...named.values(), ...leaving]),
    close: async () => {
      await Promise.all([...pools.values(), ...named.values(), ...leaving].map((pool) => pool.destroy()));
    },
  };
}

function countsOf(pools: readonly Pool[]): ConnectionCounts {
  let [busy, idle, waiting] = [0, 0, 0];
  for (const { stats } of pools) {
    busy += stats.running;
    idle += Math.max(0, stats.connected - stats.running);
    waiting += stats.pending;
  }
  return { busy, idle, waiting };
}

function openPool(origin: string, options: UpstreamOptions, lookUp?: LookupFunction): Pool {
  return new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    keepAliveTimeout: options.idleTimeoutMs,
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.bodyTimeoutMs,
    maxHeaderSize: options.headerMaxBytes,
    connect: makeConnector(options, lookUp),
  });
}

/**
 * TRICKY: undici takes a reset for the end of a body that ends with its connection; the client would have a part for the whole. It knows a reset
 * by its code, so that under another one it is the break that it is (RFC 9112 §8).
 */
function makeConnector({ connectTimeoutMs }: UpstreamOptions, lookUp?: LookupFunction): buildConnector.connector {
  const connect = buildConnector({ timeout: connectTimeoutMs, ...(lookUp === undefined ? {} : { lookup: lookUp }) });
  return (target, connected) => {
    connect(target, (...outcome) => {
      const [, socket] = outcome;
      socket?.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') error.code = 'CONNECTION_RESET';
      });
      connected(...outcome);
    });
  };
}

function dispatch(pool: Pool, request: ProviderRequest, sink: ReplySink): void {
  const { path, method, headers, body } = request;
  pool.dispatch({ path, method, headers, body }, new ReplyFeed(request, sink));
}

const endOfTurn = Promise.resolve();

/**
 * Feeds one reply to its sink.
 * TRICKY: undici's older handler methods, because its newer ones go through an adapter that also parses every head into an object that nobody
 * reads here. What comes in one turn of the event loop goes on as one: a stream comes in many small chunks, and each costs a write and a frame.
 */
class ReplyFeed implements Dispatcher.DispatchHandler {
  private readonly request: ProviderRequest;
  private readonly sink: ReplySink;
  private resume: (() => void) | undefined;
  private paused = false;
  private gathered: Buffer[] = [];
  private awaitsEndOfTurn = false;

  constructor(request: ProviderRequest, sink: ReplySink) {
    this.request = request;
    this.sink = sink;
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.sink.begin({
      abort,
      pause: () => {
        this.paused = true;
      },
      resume: () => {
        this.paused = false;
        this.resume?.();
      },
    });
  }

  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void, message: string): boolean {
    this.resume = resume;
    this.sink.start(
      status,
      rawHeaders.map((part) => part.toString('latin1')),
      message,
    );
    this.awaitEndOfTurn();
    return !this.paused;
  }

  onData(chunk: Buffer): boolean {
    this.gathered.push(chunk);
    this.awaitEndOfTurn();
    return !this.paused;
  }

  onComplete(): void {
    this.passOn();
    this.sink.finish();
  }

  onError(error: Error): void {
    this.passOn();
    giveUp(this.request, this.sink, error);
  }

  private awaitEndOfTurn(): void {
    if (this.awaitsEndOfTurn) return;
    this.awaitsEndOfTurn = true;
    // A microtask: it comes after undici's callbacks of this turn, and costs a third of a tick.
    void endOfTurn.then(() => this.endTurn());
  }

  private endTurn(): void {
    this.awaitsEndOfTurn = false;
    this.passOn();
    this.sink.sendHeadEarly();
  }

  private passOn(): void {
    const [first] = this.gathered;
    if (first === undefined) return;
    const chunk = this.gathered.length === 1 ? first : Buffer.concat(this.gathered);
    this.gathered = [];
    this.sink.data(chunk);
  }
}

/** TRICKY: undici lets go of a body that it never began to write; destroyed, it reads the rest of the client's bytes away. */
function giveUp({ body }: ProviderRequest, sink: ReplySink, error: unknown): void {
  if (body !== null && !Buffer.isBuffer(body)) body.destroy();
  sink.fail(providerFailure(error));
}

const timeoutCodes = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);

/** An error of the connection as one of ours. An error that is already ours, such as a body over its limit, stays. */
function providerFailure(error: unknown): GatelogError {
  if (error instanceof GatelogError) return error;
  const code = isSystemError(error) ? error.code : undefined;
  if (code === 'UND_ERR_INVALID_ARG') {
    return new GatelogError(
      'malformed_request',
      'The request cannot be sent on as it is; its path, method or a header holds characters that HTTP/1.1 does not allow.',
      {
        cause: error,
      },
    );
  }
  if (code !== undefined && timeoutCodes.has(code)) {
    return new GatelogError(
      'provider_timeout',
      'The provider did not answer in time. Try again, or raise the time-out settings of the gateway.',
      { cause: error },
    );
  }
  return new GatelogError('provider_unreachable', unreachableSentence(error, code), { cause: error });
}

function unreachableSentence(error: unknown, code: string | undefined): string {
  const tooLarge = code === 'UND_ERR_HEADERS_OVERFLOW';
  if (tooLarge) return 'The head of what the provider answered is over the limit of the gateway (GATELOG_HEADER_MAX_BYTES).';
  if (error instanceof errors.HTTPParserError) return 'What the provider answered is not HTTP/1.1.';
  const reason = code === undefined ? '' : ` (${code})`;
  return `The provider could not be reached, or closed the connection before it answered${reason}. Try again.`;
}
