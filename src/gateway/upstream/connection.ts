import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { BodyWriter } from './body-writer.ts';
import { isSystemError } from '../../platform/files.ts';
import { writeCoalesced } from '../../platform/http/coalesce-writes.ts';
import { expectsBody } from './request-head.ts';
import type { ResponseHead } from './response-head.ts';
import { ResponseParser, type ResponseHandler } from './response-parser.ts';

export interface SerializedRequest {
  readonly method: string;
  /** Request line, headers and the empty line, Latin-1. */
  readonly head: string;
  readonly body: Buffer | Readable | null;
  /** Length of a streamed body; undefined: it is sent in chunks. */
  readonly contentLength: number | undefined;
  /** Called when a buffered body has been written. */
  readonly sent?: (() => void) | undefined;
}

/** Receives one response: its heads, any pieces of its body, then `complete` or `failed`. */
export interface ParserCallbacks {
  /** Also called for interim heads (1xx). */
  readonly head: (head: ResponseHead) => void;
  /** The callee may retain the chunk. */
  readonly body: (chunk: Buffer) => void;
  readonly complete: () => void;
  readonly failed: (error: Error) => void;
  /**
   * The connection was stale: the provider ended it about when the request came, without a byte of a response. @returns true when the
   * request goes on another connection, which replaces `stale`; then nothing else is called for `stale`.
   */
  readonly movesFrom?: (stale: ProviderConnection) => boolean;
}

export interface ConnectionLimits {
  /** Maximum size of a response head. */
  readonly headerMaxBytes: number;
  /** Maximum silence before the response head, and maximum wait for a connection. */
  readonly headersTimeoutMs: number;
  /** Maximum silence within a response body. */
  readonly bodyTimeoutMs: number;
  /** How long an idle connection is kept, unless the provider states another time. */
  readonly idleTimeoutMs: number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonic: () => number;
}

export interface ConnectionOwner {
  readonly options: ConnectionLimits;
  readonly release: (connection: ProviderConnection) => void;
  readonly gone: (connection: ProviderConnection) => void;
}

/** An idle connection is closed this long before the provider's time-out, or at half of it if that is later. */
const closeEarlyMs = 1000;
/** Time for which a connection that takes a request may turn out stale. Later, the provider may have begun to work on the request. */
export const staleMaxMs = 1000;
/** How a connection ends that the other side has closed; undefined: by FIN. */
const closedByProvider: ReadonlySet<string | undefined> = new Set([undefined, 'ECONNRESET', 'EPIPE', 'ECONNABORTED']);
/** Maximum idle time, whatever the provider states. */
const maxIdleMs = 600_000;

/** The connection waits for: the response's head or body, the next request, or (`local`) the sink or the sender of the body. */
type Awaited = 'head' | 'body' | 'request' | 'local';

/** A connection to a provider, with one exchange at a time. */
export class ProviderConnection implements ResponseHandler {
  private readonly socket: Socket;
  private readonly isEncrypted: boolean;
  private readonly owner: ConnectionOwner;
  private readonly parser: ResponseParser;
  private response: ParserCallbacks | undefined;
  private bodyWriter: BodyWriter | undefined;
  /** It has had an exchange before. */
  isReused = false;
  private hasHead = false;
  /** Any byte of a response to the present request. */
  private hasReceived = false;
  /** Monotonic time at which the present request was sent, on a reused connection. */
  private sentAt = 0;
  private isReusable = false;
  private isPaused = false;
  private isClosed = false;
  /** Deadline of an idle connection, monotonic. */
  private idleUntil = 0;
  /** Counts progress, for {@link checkTimeouts}. */
  private events = 0;
  private eventsSeen = -1;
  private quietSince = 0;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.socket = socket;
    this.isEncrypted = socket instanceof TLSSocket;
    this.owner = owner;
    const { headerMaxBytes, idleTimeoutMs, monotonic } = owner.options;
    this.parser = new ResponseParser(this, headerMaxBytes);
    this.idleUntil = monotonic() + idleTimeoutMs;
    socket.on('error', (error) => this.close(error));
    socket.on('end', () => this.onEnd());
    socket.on('close', () => this.close(undefined));
  }

  /** False once its idle time is over, or while it closes. @param now monotonic, milliseconds. */
  isUsable(now: number): boolean {
    return !this.isClosed && this.socket.writable && now < this.idleUntil;
  }

  send(request: SerializedRequest, response: ParserCallbacks): void {
    const { method, head, body } = request;
    const { socket } = this;
    this.response = response;
    this.hasHead = false;
    this.hasReceived = false;
    if (this.isReused) this.sentAt = this.owner.options.monotonic();
    // TRICKY: a server that ignores an unexpected body takes it for the next request. One that sends a body with its response to HEAD
    // makes us take that for the next response, which may be another caller's.
    this.isReusable = expectsBody(method) || (body === null && method !== 'HEAD');
    this.events += 1;
    this.parser.begin(method);
    if (body === null) socket.write(head, 'latin1');
    else if (!Buffer.isBuffer(body)) this.streamBody(head, body, request.contentLength);
    else if (this.isEncrypted || !writeCoalesced(socket, head, body)) {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(body, request.sent);
      socket.uncork();
    }
  }

  pause(): void {
    this.isPaused = true;
    this.socket.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.events += 1;
    this.socket.resume();
  }

  /** @param bytes are not retained. */
  read(bytes: Buffer): void {
    if (this.isClosed) return;
    if (this.response === undefined) {
      this.close(undefined);
      return;
    }
    this.hasReceived = true;
    try {
      this.parser.read(bytes);
    } catch (error) {
      this.close(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (this.parser.isComplete()) this.finish();
  }

  onHead(head: ResponseHead): void {
    this.hasHead = head.status >= 200;
    this.events += 1;
    this.response?.head(head);
  }

  onBody(bytes: Buffer): void {
    this.events += 1;
    this.response?.body(Buffer.from(bytes));
  }

  /** Checks the time-outs. @param now monotonic, milliseconds. */
  checkTimeouts(now: number): void {
    const awaited = this.awaited();
    if (awaited === 'request') {
      if (now >= this.idleUntil) this.close(undefined);
      return;
    }
    // Bytes written count too: an upload that progresses is not silence.
    const events = this.events + this.socket.bytesWritten;
    if (events !== this.eventsSeen || awaited === 'local') {
      this.eventsSeen = events;
      this.quietSince = now;
      return;
    }
    const { headersTimeoutMs, bodyTimeoutMs } = this.owner.options;
    const maxMs = awaited === 'head' ? headersTimeoutMs : bodyTimeoutMs;
    if (now - this.quietSince >= maxMs) this.close(new ResponseTimeoutError());
  }

  /** @param error reaches the sink of an incomplete response. */
  close(error: Error | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const { response, bodyWriter } = this;
    const isStale = response !== undefined && this.isStale(error);
    this.response = undefined;
    this.bodyWriter = undefined;
    this.parser.stop();
    this.socket.destroy();
    if (isStale && response.movesFrom?.(this) === true) return;
    this.owner.gone(this);
    bodyWriter?.stop();
    response?.failed(error ?? new SocketClosedError());
  }

  private isStale(error: Error | undefined): boolean {
    if (!this.isReused || this.hasReceived || this.bodyWriter !== undefined) return false;
    if (error !== undefined && !(isSystemError(error) && closedByProvider.has(error.code))) return false;
    return this.owner.options.monotonic() - this.sentAt <= staleMaxMs;
  }

  private awaited(): Awaited {
    if (this.response === undefined) return 'request';
    if (this.isPaused) return 'local';
    if (this.hasHead) return 'body';
    // The sender of the body causes the wait, not the provider.
    return this.bodyWriter !== undefined && !this.socket.writableNeedDrain ? 'local' : 'head';
  }

  private streamBody(head: string, body: Readable, contentLength: number | undefined): void {
    if (body.destroyed) {
      this.close(body.errored ?? undefined);
      return;
    }
    this.socket.write(head, 'latin1');
    this.bodyWriter = new BodyWriter(this.socket, body, contentLength, (error) => {
      this.bodyWriter = undefined;
      this.events += 1;
      if (error !== undefined) this.close(error);
    });
  }

  private onEnd(): void {
    if (!this.isClosed && this.response !== undefined && this.parser.end()) this.finish();
    this.close(undefined);
  }

  /** The response is complete; an unsent rest of the request is dropped. */
  private finish(): void {
    const { response, parser, owner } = this;
    this.response = undefined;
    this.isReused = true;
    response?.complete();
    if (this.isClosed) return;
    const isSent = this.bodyWriter === undefined && this.socket.writableLength === 0;
    if (!isSent || !this.isReusable || !parser.keepsConnection) {
      this.close(undefined);
      return;
    }
    if (this.isPaused) this.resume();
    const { idleTimeoutMs, monotonic } = owner.options;
    this.idleUntil = monotonic() + idleMs(idleTimeoutMs, parser.keepAliveMs);
    owner.release(this);
  }
}

function idleMs(defaultMs: number, statedMs: number | undefined): number {
  return statedMs === undefined ? defaultMs : Math.min(maxIdleMs, Math.max(statedMs - closeEarlyMs, statedMs / 2));
}

class SocketClosedError extends Error {
  readonly code = 'ECONNCLOSED';
  constructor() {
    super('the provider closed the connection');
    this.name = 'SocketClosedError';
  }
}

export class ResponseTimeoutError extends Error {
  constructor(reason = 'the provider did not answer in time') {
    super(reason);
    this.name = 'ResponseTimeoutError';
  }
}
