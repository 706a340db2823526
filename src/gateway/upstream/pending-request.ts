import type { Share, Waiting } from '../../platform/organization-shares.ts';
import { type ParserCallbacks, type ProviderConnection, type SerializedRequest, staleMaxMs } from './connection.ts';
import type { ResponseHead } from './response-head.ts';

/** Receives the response of a request that may be sent twice. */
export interface RequestCallbacks extends ParserCallbacks {
  /** The first connection was stale, as it turned out after `ms`; the request is sent again. */
  readonly sentAgain: (ms: number) => void;
}

/** What a call needs of the pool of connections that it goes through. */
export interface RequestPool {
  readonly options: { readonly monotonic: () => number };
  readonly send: (call: PendingRequest) => void;
  /** It waits no longer. */
  readonly forget: (call: PendingRequest) => void;
  /** It has given its connection back. */
  readonly ended: (call: PendingRequest) => void;
  readonly replace: (stale: ProviderConnection, call: PendingRequest) => void;
}

/** A call between its sender and the sink of its response. Once it is over, its methods do nothing. */
export class PendingRequest implements ParserCallbacks, Waiting<PendingRequest> {
  readonly organizationId: string;
  share: Share<PendingRequest> | undefined;
  previous: PendingRequest | undefined;
  next: PendingRequest | undefined;
  isQueued = false;
  /** Start of its wait, monotonic milliseconds. */
  waitingSince = 0;
  private readonly pool: RequestPool;
  private request: SerializedRequest;
  private readonly response: RequestCallbacks;
  private connection: ProviderConnection | undefined;
  /** Its organisation's share counts it. */
  private isTaken = false;
  private isPaused = false;
  private isOver = false;
  /** It may be sent once more: it was not yet, and its body is held. */
  private mayMove: boolean;
  private sentAt = 0;
  private releaseTimer: NodeJS.Timeout | undefined;

  constructor(pool: RequestPool, organizationId: string, request: SerializedRequest, response: RequestCallbacks) {
    this.pool = pool;
    this.organizationId = organizationId;
    this.request = request;
    this.response = response;
    this.mayMove = request.body === null || Buffer.isBuffer(request.body);
  }

  /** Does nothing if the call was aborted meanwhile. */
  send(): void {
    if (!this.isOver) this.pool.send(this);
  }

  assign(connection: ProviderConnection): void {
    this.connection = connection;
    this.isTaken = true;
    const { request } = this;
    this.mayMove &&= connection.isReused;
    if (this.mayMove) this.sentAt = this.pool.options.monotonic();
    if (this.mayMove && request.sent !== undefined) connection.send({ ...request, sent: this.bodyWritten }, this);
    else {
      connection.send(request, this);
      // Releases the body, which is never sent again.
      if (request.sent !== undefined) this.request = { ...request, body: null };
    }
    if (this.isPaused) connection.pause();
  }

  /**
   * Sends the request once more, on a new connection. It was not answered, and most probably not read: its provider closed a connection
   * that had been idle (docs/internals/decisions/0023-sending-once-more.md).
   */
  movesFrom(stale: ProviderConnection): boolean {
    if (!this.mayMove || this.isOver) return false;
    this.mayMove = false;
    clearTimeout(this.releaseTimer);
    this.releaseTimer = undefined;
    this.connection = undefined;
    this.response.sentAgain(this.pool.options.monotonic() - this.sentAt);
    this.pool.replace(stale, this);
    return true;
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
      this.failed(reason);
    }
  }

  head(head: ResponseHead): void {
    if (this.releaseTimer !== undefined) this.releaseBody();
    this.response.head(head);
  }

  body(chunk: Buffer): void {
    this.response.body(chunk);
  }

  complete(): void {
    this.leave();
    this.response.complete();
  }

  /** TRICKY: nobody else destroys a body that was never sent; a destroyed upload drains the rest of its client's bytes. */
  failed(error: Error): void {
    if (this.isOver) return;
    this.leave();
    const { body } = this.request;
    if (body !== null && !Buffer.isBuffer(body)) body.destroy();
    this.response.failed(error);
  }

  private leave(): void {
    this.isOver = true;
    if (this.releaseTimer !== undefined) this.releaseBody();
    if (!this.isTaken) return;
    this.connection = undefined;
    this.isTaken = false;
    this.pool.ended(this);
  }

  /** A large body is held a moment longer than it takes to write it, in case the connection is stale. */
  private readonly bodyWritten = (): void => {
    if (!this.mayMove && !this.isOver) return;
    if (this.isOver) this.releaseBody();
    else this.releaseTimer = setTimeout(this.releaseBody, staleMaxMs);
  };

  private readonly releaseBody = (): void => {
    clearTimeout(this.releaseTimer);
    this.releaseTimer = undefined;
    this.mayMove = false;
    const { sent } = this.request;
    this.request = { ...this.request, body: null, sent: undefined };
    sent?.();
  };
}
