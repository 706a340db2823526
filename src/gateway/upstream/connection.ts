import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { BodyWriter } from './body-writer.ts';
import { writeCoalesced } from '../../platform/http/coalesce-writes.ts';
import { expectsBody } from './request-head.ts';
import type { ResponseHead } from './response-head.ts';
import { ResponseParser, type ResponseHandler } from './response-parser.ts';

/** A request as it goes over a connection. */
export interface SerializedRequest {
  readonly method: string;
  /** Its head with the line that ends it, Latin-1. */
  readonly head: string;
  readonly body: Buffer | Readable | null;
  /** Bytes of a body that is read as it goes; undefined: it goes in chunks. */
  readonly announced: number | undefined;
  /** Called when a body that is here whole has been written. */
  readonly sent?: (() => void) | undefined;
}

/** Takes the reply to one request: a head, any pieces of its body, then one of the last two. */
export interface ParserCallbacks {
  /** Interim heads (1xx) come here too. */
  readonly head: (head: ResponseHead) => void;
  /** A piece of the body, the taker's own. */
  readonly body: (chunk: Buffer) => void;
  readonly whole: () => void;
  readonly broken: (error: Error) => void;
}

/** What holds for a connection. */
export interface ConnectionLimits {
  /** A longer head of a reply is not taken. */
  readonly headerMaxBytes: number;
  /** Longest silence before the head of a reply, and longest wait of a call for a connection. */
  readonly headersTimeoutMs: number;
  /** Longest silence within a response body. */
  readonly bodyTimeoutMs: number;
  /** How long a connection is kept for the next call, milliseconds, unless the provider says another time. */
  readonly idleTimeoutMs: number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonic: () => number;
}

/** Whose connection it is. */
export interface ConnectionOwner {
  readonly options: ConnectionLimits;
  readonly release: (connection: ProviderConnection) => void;
  readonly gone: (connection: ProviderConnection) => void;
}

/** An idle connection is closed this long before the provider closes it, or at half of that time. */
const closesAheadMs = 1000;
/** Longest time for which a connection is kept, whatever the provider says. */
const maxIdleMs = 600_000;

/** What the connection waits for: a head or more of a body from the provider, a further request, or (`ours`) the sink or the sender of the body. */
type Waiting = 'head' | 'body' | 'request' | 'ours';

/** One connection to a provider, which carries one exchange at a time. */
export class ProviderConnection implements ResponseHandler {
  private readonly socket: Socket;
  private readonly isEncrypted: boolean;
  private readonly owner: ConnectionOwner;
  private readonly parser: ResponseParser;
  private response: ParserCallbacks | undefined;
  private pump: BodyWriter | undefined;
  private hasHead = false;
  private mayBeKept = false;
  private isPaused = false;
  private isClosed = false;
  /** While it is idle: when it is given up. */
  private idleUntil = 0;
  /** Counts what the provider does, for {@link look}. */
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
    socket.on('end', () => this.ended());
    socket.on('close', () => this.close(undefined));
  }

  /** Whether it can take a further request: false for one that is too old, or about to say that it is closed. @param now monotonic, milliseconds. */
  isUsable(now: number): boolean {
    return !this.isClosed && this.socket.writable && now < this.idleUntil;
  }

  send(request: SerializedRequest, response: ParserCallbacks): void {
    const { method, head, body } = request;
    const { socket } = this;
    this.response = response;
    this.hasHead = false;
    // TRICKY: some servers ignore a body that they do not expect, or send one behind a head that has none. They would take it for the next
    // request, and we for the next reply, which may be somebody else's.
    this.mayBeKept = expectsBody(method) || (body === null && method !== 'HEAD');
    this.events += 1;
    this.parser.begin(method);
    if (body === null) socket.write(head, 'latin1');
    else if (!Buffer.isBuffer(body)) this.pumpBody(head, body, request.announced);
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

  /** Bytes of the provider; they are not kept. */
  read(bytes: Buffer): void {
    if (this.isClosed) return;
    if (this.response === undefined) {
      this.close(undefined);
      return;
    }
    try {
      this.parser.read(bytes);
    } catch (error) {
      this.close(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (this.parser.isWhole()) this.finish();
  }

  takeHead(head: ResponseHead): void {
    this.hasHead = head.status >= 200;
    this.events += 1;
    this.response?.head(head);
  }

  takeBody(bytes: Buffer): void {
    this.events += 1;
    this.response?.body(Buffer.from(bytes));
  }

  /** Looks, now and then, whether it has been quiet for too long. @param now monotonic, milliseconds. */
  look(now: number): void {
    const waiting = this.waiting();
    if (waiting === 'request') {
      if (now >= this.idleUntil) this.close(undefined);
      return;
    }
    // What was written to it counts too: an upload that moves on is no silence.
    const events = this.events + this.socket.bytesWritten;
    if (events !== this.eventsSeen || waiting === 'ours') {
      this.eventsSeen = events;
      this.quietSince = now;
      return;
    }
    const { headersTimeoutMs, bodyTimeoutMs } = this.owner.options;
    const maxMs = waiting === 'head' ? headersTimeoutMs : bodyTimeoutMs;
    if (now - this.quietSince >= maxMs) this.close(new ResponseTimeoutError());
  }

  /** @param error reaches the sink of a response that is not whole. */
  close(error: Error | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    const { response, pump } = this;
    this.response = undefined;
    this.pump = undefined;
    this.parser.stop();
    this.socket.destroy();
    this.owner.gone(this);
    pump?.stop();
    response?.broken(error ?? new SocketClosedError());
  }

  private waiting(): Waiting {
    if (this.response === undefined) return 'request';
    if (this.isPaused) return 'ours';
    if (this.hasHead) return 'body';
    // The rest of the request is still to come, and it is not the provider that keeps it waiting.
    return this.pump !== undefined && !this.socket.writableNeedDrain ? 'ours' : 'head';
  }

  private pumpBody(head: string, body: Readable, announced: number | undefined): void {
    if (body.destroyed) {
      this.close(body.errored ?? undefined);
      return;
    }
    this.socket.write(head, 'latin1');
    this.pump = new BodyWriter(this.socket, body, announced, (error) => {
      this.pump = undefined;
      this.events += 1;
      if (error !== undefined) this.close(error);
    });
  }

  private ended(): void {
    if (!this.isClosed && this.response !== undefined && this.parser.end()) this.finish();
    this.close(undefined);
  }

  /** The reply is whole; what of the request was not sent by then is not wanted any more. */
  private finish(): void {
    const { response, parser, owner } = this;
    this.response = undefined;
    response?.whole();
    if (this.isClosed) return;
    const isSent = this.pump === undefined && this.socket.writableLength === 0;
    if (!isSent || !this.mayBeKept || !parser.keepsConnection) {
      this.close(undefined);
      return;
    }
    if (this.isPaused) this.resume();
    const { idleTimeoutMs, monotonic } = owner.options;
    this.idleUntil = monotonic() + idleMs(idleTimeoutMs, parser.keptForMs);
    owner.release(this);
  }
}

/** How long a connection is kept for the next request, milliseconds. */
function idleMs(settingMs: number, saidMs: number | undefined): number {
  return saidMs === undefined ? settingMs : Math.min(maxIdleMs, Math.max(saidMs - closesAheadMs, saidMs / 2));
}

class SocketClosedError extends Error {
  readonly code = 'ECONNCLOSED';
  constructor() {
    super('the provider closed the connection');
    this.name = 'ConnectionLostError';
  }
}

/** The provider did not answer, or go on, in time. */
export class ResponseTimeoutError extends Error {
  constructor(reason = 'the provider did not answer in time') {
    super(reason);
    this.name = 'ReplyTimeoutError';
  }
}
