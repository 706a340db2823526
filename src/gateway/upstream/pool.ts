import type { Socket } from 'node:net';
import { OrganizationShares } from '../../platform/organization-shares.ts';
import { type ConnectionLimits, type ConnectionOwner, ProviderConnection, ResponseTimeoutError } from './connection.ts';
import type { PendingRequest } from './pending-request.ts';

export interface ConnectionCounts {
  readonly busy: number;
  readonly idle: number;
  /** Calls that wait for a connection. */
  readonly waiting: number;
}

export interface PoolOptions extends ConnectionLimits {
  /** Value of the Host header. */
  readonly host: string;
  /** Maximum number of connections; further calls wait. */
  readonly connections: number;
  /** Maximum share of an organisation in the connections that the others leave. */
  readonly organizationSharePercent: number;
  /** Maximum wait of a call whose organisation uses its full share. */
  readonly shareWaitMs: number;
  /**
   * Opens a connection; the socket's bytes go to the connection that `connected` makes for it.
   * @param organizationId the organisation of the next waiting call, which probably gets it.
   */
  readonly connect: (connected: Connected, organizationId: string) => void;
}

/**
 * Maximum number of calls served, and of connections opened, per tick of the event loop: a thousand at once would delay every other call
 * by 100 ms.
 */
const maxPerTick = 32;

/** Receives an error, or the open socket. */
export type Connected = (error: Error | null, socket: Socket | null | undefined) => ProviderConnection | undefined;

/** Connections to one origin, kept alive. The most recently used one is reused first, so that surplus ones time out. */
export class ProviderPool implements ConnectionOwner {
  readonly options: PoolOptions;
  private readonly open = new Set<ProviderConnection>();
  private readonly idle: ProviderConnection[] = [];
  /** Connections whose exchange ended in this tick of the event loop, and in the one before: see {@link release}. */
  private coolingDown: ProviderConnection[] = [];
  private cooled: ProviderConnection[] = [];
  /** Waiting calls, and the number of connections of each organisation. */
  private readonly waiting: OrganizationShares<PendingRequest>;
  private connecting = 0;
  /** Calls whose connection was stale, and that wait for the one that replaces it. */
  private readonly moving = new Set<PendingRequest>();
  /** Connections that are being opened for such calls, also for those that have left meanwhile. */
  private replacing = 0;
  private isTickScheduled = false;
  private isRetired = false;
  private isClosed = false;

  constructor(options: PoolOptions) {
    this.options = options;
    this.waiting = new OrganizationShares(options.connections, options.organizationSharePercent);
  }

  send(call: PendingRequest): void {
    if (this.isClosed) {
      call.failed(new PoolClosedError());
      return;
    }
    call.waitingSince = this.options.monotonic();
    this.waiting.add(call);
    this.scheduleTick();
  }

  forget(call: PendingRequest): void {
    this.moving.delete(call);
    this.waiting.delete(call);
  }

  /**
   * Opens a connection for one call in place of a stale one, which leaves the pool. TRICKY: not an idle one, which the provider may have
   * closed in the same moment.
   */
  replace(stale: ProviderConnection, call: PendingRequest): void {
    this.moving.add(call);
    this.replacing += 1;
    this.gone(stale);
    const connected: Connected = (error, socket) => {
      this.replacing -= 1;
      const isWanted = this.moving.delete(call);
      const connection = this.added(error, socket);
      if (connection === undefined && isWanted) call.failed(error ?? new PoolClosedError());
      else if (connection !== undefined && isWanted) call.assign(connection);
      else if (connection !== undefined) this.release(connection);
      this.connectAsNeeded();
      return connection;
    };
    this.openFor(call.organizationId, connected);
  }

  /**
   * A call has given its connection back. TRICKY: a closing connection calls `gone` before its call calls this, so only now can a waiting
   * call of the same organisation be served.
   */
  ended(call: PendingRequest): void {
    this.waiting.release(call);
    if (this.waiting.size > 0) this.scheduleTick();
  }

  /**
   * TRICKY: a connection is not reused before a whole tick of the event loop has passed. Trailing bytes, or a FIN, are read after the
   * response; a request sent earlier would take the former for its response, or fail on the latter.
   */
  release(connection: ProviderConnection): void {
    this.coolingDown.push(connection);
    this.scheduleTick();
  }

  gone(connection: ProviderConnection): void {
    this.open.delete(connection);
    for (const free of [this.idle, this.cooled, this.coolingDown]) {
      const index = free.indexOf(connection);
      if (index !== -1) free.splice(index, 1);
    }
    this.connectAsNeeded();
  }

  counts(): ConnectionCounts {
    const idle = this.free();
    return { busy: this.open.size - idle, idle, waiting: this.waiting.size };
  }

  /** Checks the time-outs of connections and of waiting calls. @param now monotonic, milliseconds. */
  checkTimeouts(now: number): void {
    for (const connection of this.open) connection.checkTimeouts(now);
    if (this.waiting.size > 0) this.checkWaiting(now);
  }

  /** No further calls come; running ones go on to their end. */
  retire(): void {
    this.isRetired = true;
    this.scheduleTick();
  }

  hasEnded(): boolean {
    return this.isRetired && this.open.size === 0 && this.waiting.size === 0 && this.replacing === 0;
  }

  /** Aborts all calls. */
  close(): void {
    this.isClosed = true;
    for (const { calls } of this.waiting.forecasts(0)) for (const call of calls) this.abortCall(call, new PoolClosedError());
    for (const call of this.moving) this.abortCall(call, new PoolClosedError());
    for (const connection of this.open) connection.close(new PoolClosedError());
  }

  /** Calls that a connection is being opened for are not timed out here: the attempt has a time-out of its own. */
  private checkWaiting(now: number): void {
    const { headersTimeoutMs, shareWaitMs, connections, organizationSharePercent } = this.options;
    for (const { calls, provided, servable } of this.waiting.forecasts(this.free() + this.connecting)) {
      for (const [index, call] of calls.entries()) {
        const waitedMs = now - call.waitingSince;
        if (index >= servable && waitedMs >= shareWaitMs) this.abortCall(call, new ShareTakenError(connections, organizationSharePercent));
        else if (index >= provided && waitedMs >= headersTimeoutMs) this.abortCall(call, new PoolExhaustedError(connections));
      }
    }
  }

  private abortCall(call: PendingRequest, error: Error): void {
    this.forget(call);
    call.failed(error);
  }

  private free(): number {
    return this.idle.length + this.cooled.length + this.coolingDown.length;
  }

  private scheduleTick(): void {
    if (this.isTickScheduled) return;
    this.isTickScheduled = true;
    setImmediate(() => {
      this.isTickScheduled = false;
      this.runTick();
    });
  }

  /** Runs after a tick of the event loop and makes rested connections available. */
  private runTick(): void {
    this.idle.push(...this.cooled);
    this.cooled = this.coolingDown;
    this.coolingDown = [];
    if (this.waiting.size > 0) this.assignIdle(this.options.monotonic());
    if (this.isRetired && this.waiting.size === 0) this.closeIdle();
    if (this.cooled.length > 0) this.scheduleTick();
  }

  private assignIdle(now: number): void {
    let left = maxPerTick;
    for (let call = this.waiting.next(); call !== undefined && left > 0; call = this.waiting.next()) {
      const connection = this.takeIdle(now);
      if (connection === undefined) break;
      this.waiting.take(call);
      call.assign(connection);
      left -= 1;
    }
    if (left === 0) this.scheduleTick();
    this.connectAsNeeded();
  }

  private closeIdle(): void {
    for (const connection of this.idle.splice(0)) connection.close(undefined);
  }

  private takeIdle(now: number): ProviderConnection | undefined {
    for (let connection = this.idle.pop(); connection !== undefined; connection = this.idle.pop()) {
      if (connection.isUsable(now)) return connection;
      connection.close(undefined);
    }
    return undefined;
  }

  private connectAsNeeded(): void {
    for (
      let left = maxPerTick;
      !this.isClosed && this.needsConnection() && this.open.size + this.connecting + this.replacing < this.options.connections;
      left -= 1
    ) {
      if (left === 0) return this.scheduleTick();
      this.connect();
    }
  }

  /** More servable calls wait than connections are free or being opened. */
  private needsConnection(): boolean {
    const provided = this.free() + this.connecting;
    return this.waiting.size > provided && this.waiting.servable() > provided;
  }

  private connect(): void {
    this.connecting += 1;
    this.openFor(this.waiting.next()?.organizationId ?? '', (error, socket) => this.connected(error, socket));
  }

  private openFor(organizationId: string, connected: Connected): void {
    try {
      this.options.connect(connected, organizationId);
    } catch (error) {
      setImmediate(() => connected(error instanceof Error ? error : new Error(String(error)), null));
    }
  }

  private connected(...[error, socket]: Parameters<Connected>): ProviderConnection | undefined {
    this.connecting -= 1;
    const connection = this.added(error, socket);
    if (connection === undefined) this.onConnectFailed(error ?? new PoolClosedError());
    else {
      this.idle.push(connection);
      this.scheduleTick();
    }
    return connection;
  }

  private added(...[error, socket]: Parameters<Connected>): ProviderConnection | undefined {
    if (socket === null || socket === undefined || error !== null || this.isClosed) {
      socket?.destroy();
      return undefined;
    }
    const connection = new ProviderConnection(socket, this);
    this.open.add(connection);
    return connection;
  }

  /** A failed attempt fails the next waiting call, unless another connection is there for it. */
  private onConnectFailed(error: Error): void {
    const next = this.waiting.next();
    if (next !== undefined && this.needsConnection()) this.abortCall(next, error);
    this.connectAsNeeded();
  }
}

export class PoolExhaustedError extends ResponseTimeoutError {
  readonly connections: number;

  constructor(connections: number) {
    super('all connections to the provider were busy');
    this.name = 'PoolExhaustedError';
    this.connections = connections;
  }
}

/** The organisation used its full share of the connections for as long as a call waits. */
export class ShareTakenError extends Error {
  readonly connections: number;
  readonly percent: number;

  constructor(connections: number, percent: number) {
    super('the organisation has its share of the connections to the provider');
    this.name = 'ShareTakenError';
    this.connections = connections;
    this.percent = percent;
  }
}

export class PoolClosedError extends Error {
  constructor() {
    super('the gateway is closing');
    this.name = 'PoolClosedError';
  }
}
