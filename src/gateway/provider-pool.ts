import type { Socket } from 'node:net';
import type { ConnectionCounts } from './metrics.ts';
import { type ConnectionOwner, ProviderConnection, type WireReply, type WireRequest } from './provider-connection.ts';
import type { ReplyLines } from './reply-lines.ts';

export interface PoolOptions {
  /** The value of the Host header. */
  readonly host: string;
  /** Most connections at once; further calls wait for one. */
  readonly connections: number;
  readonly headMaxBytes: number;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly monotonic: () => number;
  /** Opens a connection; the socket that it gives can be written to, and its bytes go to the connection that is made for it. */
  readonly connect: (connected: (error: Error | null, socket: Socket | null) => ProviderConnection | undefined) => void;
}

/** Connections to one origin, kept for the next call. The one that was used last is used first, so that those beyond the need grow old. */
export class ProviderPool implements ConnectionOwner {
  readonly host: string;
  readonly headMaxBytes: number;
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly monotonic: () => number;
  private readonly options: PoolOptions;
  private readonly open = new Set<ProviderConnection>();
  private readonly idle: ProviderConnection[] = [];
  /** Calls without a connection, the oldest first. */
  private readonly waiting = new Set<PooledCall>();
  private connecting = 0;
  private handsOutSoon = false;
  private isRetired = false;
  private isClosed = false;

  constructor(options: PoolOptions) {
    this.options = options;
    this.host = options.host;
    this.headMaxBytes = options.headMaxBytes;
    this.headersTimeoutMs = options.headersTimeoutMs;
    this.bodyTimeoutMs = options.bodyTimeoutMs;
    this.idleTimeoutMs = options.idleTimeoutMs;
    this.monotonic = options.monotonic;
  }

  /** Sends a request as soon as there is a connection for it. */
  send(call: PooledCall): void {
    if (this.isClosed) {
      call.broken(new PoolClosedError());
      return;
    }
    this.waiting.add(call);
    this.handOutSoon();
  }

  /** A call does not wait any more. */
  forget(call: PooledCall): void {
    this.waiting.delete(call);
  }

  freed(connection: ProviderConnection): void {
    if (this.isRetired && this.waiting.size === 0) {
      connection.close(undefined);
      return;
    }
    this.idle.push(connection);
    if (this.waiting.size > 0) this.handOutSoon();
  }

  gone(connection: ProviderConnection): void {
    this.open.delete(connection);
    const at = this.idle.indexOf(connection);
    if (at !== -1) this.idle.splice(at, 1);
    this.connectAsNeeded();
  }

  counts(): ConnectionCounts {
    return { busy: this.open.size - this.idle.length, idle: this.idle.length, waiting: this.waiting.size };
  }

  /** Looks for connections that have been quiet for too long. @param now monotonic, milliseconds. */
  look(now: number): void {
    for (const connection of this.open) connection.look(now);
  }

  /** No further call comes; those that are here run to their end. */
  retire(): void {
    this.isRetired = true;
    for (const connection of this.idle.splice(0)) connection.close(undefined);
  }

  /** True when it was retired and all its calls have ended. */
  hasEnded(): boolean {
    return this.isRetired && this.open.size === 0 && this.waiting.size === 0;
  }

  /** Breaks all calls off. */
  close(): void {
    this.isClosed = true;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const call of waiting) call.broken(new PoolClosedError());
    for (const connection of this.open) connection.close(new PoolClosedError());
  }

  /**
   * TRICKY: not at once. What a provider sends behind a reply, and that it has closed the connection, may be read a moment after the reply itself,
   * and would be taken for the next one. By the end of this turn of the event loop all is read that is here.
   */
  private handOutSoon(): void {
    if (this.handsOutSoon) return;
    this.handsOutSoon = true;
    setImmediate(() => {
      this.handsOutSoon = false;
      this.handOut();
    });
  }

  private handOut(): void {
    const now = this.monotonic();
    for (const call of this.waiting) {
      const connection = this.takeIdle(now);
      if (connection === undefined) break;
      this.waiting.delete(call);
      call.goOver(connection);
    }
    this.connectAsNeeded();
  }

  private takeIdle(now: number): ProviderConnection | undefined {
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (connection.isUsable(now)) return connection;
      connection.close(undefined);
    }
    return undefined;
  }

  private connectAsNeeded(): void {
    while (!this.isClosed && this.connecting < this.waiting.size && this.open.size + this.connecting < this.options.connections) {
      this.connect();
    }
  }

  private connect(): void {
    this.connecting += 1;
    try {
      this.options.connect((error, socket) => this.connected(error, socket));
    } catch (error) {
      setImmediate(() => this.connected(error instanceof Error ? error : new Error(String(error)), null));
    }
  }

  private connected(error: Error | null, socket: Socket | null): ProviderConnection | undefined {
    this.connecting -= 1;
    if (socket !== null && error === null && !this.isClosed) {
      const connection = new ProviderConnection(socket, this);
      this.open.add(connection);
      this.freed(connection);
      return connection;
    }
    socket?.destroy();
    this.failed(error ?? new PoolClosedError());
    return undefined;
  }

  /** Each connection that cannot be had is some call's: the one that has waited longest, unless it was served by another. */
  private failed(error: Error): void {
    const [oldest] = this.waiting;
    if (oldest !== undefined && this.waiting.size > this.connecting) {
      this.waiting.delete(oldest);
      oldest.broken(error);
    }
    this.connectAsNeeded();
  }
}

/** One call of a pool, from its sender to its reply's taker. What is done with it once it is over does nothing. */
export class PooledCall implements WireReply {
  private readonly pool: ProviderPool;
  private readonly request: WireRequest;
  private readonly reply: WireReply;
  private connection: ProviderConnection | undefined;
  private isPaused = false;
  private isOver = false;

  constructor(pool: ProviderPool, request: WireRequest, reply: WireReply) {
    this.pool = pool;
    this.request = request;
    this.reply = reply;
  }

  /** Sends it, unless it was broken off meanwhile. */
  send(): void {
    if (!this.isOver) this.pool.send(this);
  }

  goOver(connection: ProviderConnection): void {
    this.connection = connection;
    connection.send(this.request, this);
    if (this.isPaused) connection.pause();
  }

  pause(): void {
    this.isPaused = true;
    this.connection?.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.connection?.resume();
  }

  abort(reason: Error): void {
    if (this.isOver) return;
    if (this.connection !== undefined) this.connection.close(reason);
    else {
      this.pool.forget(this);
      this.broken(reason);
    }
  }

  head(head: ReplyLines): void {
    this.reply.head(head);
  }

  body(chunk: Buffer): void {
    this.reply.body(chunk);
  }

  whole(): void {
    this.isOver = true;
    this.connection = undefined;
    this.reply.whole();
  }

  /** TRICKY: a body that never was on its way has nobody else to destroy it; an upload that is destroyed reads the rest of its client's bytes away. */
  broken(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    this.connection = undefined;
    const { body } = this.request;
    if (body !== null && !Buffer.isBuffer(body)) body.destroy();
    this.reply.broken(error);
  }
}

/** The gateway is closing. */
class PoolClosedError extends Error {
  constructor() {
    super('the gateway is closing');
    this.name = 'PoolClosedError';
  }
}
