import type { ServerResponse } from 'node:http';
import { GatelogError } from '../model/errors.ts';
import { passedHeaders, type RawHeaders, recordedResponse } from './headers.ts';
import { refusalBody, refusalHeaders } from './refusal.ts';
import { StreamEndWatch } from './stream-end.ts';
import type { ExchangeRecorder } from './tap.ts';

/** The controls of a running call to a provider. */
export interface ProviderCall {
  readonly pause: () => void;
  readonly resume: () => void;
  readonly abort: (reason: Error) => void;
}

export interface RelayOptions {
  readonly response: ServerResponse;
  readonly recorder: ExchangeRecorder;
  /** The caller's method: a reply to HEAD has no body. */
  readonly method: string;
  /** Our own lines on the reply (`svc-id`, …), name and value in turn. */
  readonly replyHeaders: readonly string[];
  readonly monotonic: () => number;
}

/**
 * The way back: passes a provider's reply to the client and into the recorder, byte for byte.
 *
 * Invariant: the reply is never whole for its client before its record is in the spool. What would make it whole is held until then: the last
 * chunk of a body of known length, the end of a chunked one, a chunk that ends a stream for its reader, the head of a reply without a body.
 */
export class Relay {
  /** Milliseconds of our own work so far, added up by the caller. */
  overheadMs = 0;
  private readonly options: RelayOptions;
  private call: ProviderCall | undefined;
  private head: { readonly status: number; readonly message: string; readonly lines: string[] } | undefined;
  private headSent = false;
  private bodyless = false;
  private expectedBytes: number | undefined;
  private receivedBytes = 0;
  private lastChunk: Buffer | undefined;
  private endWatch: StreamEndWatch | undefined;
  private holdEveryChunk = false;
  private held: Buffer[] = [];
  private paused = false;
  private settled = false;

  constructor(options: RelayOptions) {
    this.options = options;
    options.response.once('close', () => this.clientClosed());
  }

  /** The call to the provider has begun; a client that left meanwhile ends it. */
  begin(call: ProviderCall): void {
    this.call = call;
    if (this.settled) call.abort(new Error('the client has left'));
  }

  /** The provider's head. Interim (1xx) heads are dropped: Node's server has sent its own `100 Continue`. */
  start(status: number, raw: RawHeaders, message: string): void {
    if (this.settled || status < 200) return;
    const { method, recorder, replyHeaders } = this.options;
    const recorded = recordedResponse(raw);
    recorder.responseHead(status, recorded);
    this.head = { status, message, lines: [...passedHeaders(raw, () => true), ...replyHeaders] };
    const length = recorded['content-length'];
    this.expectedBytes = length === undefined ? undefined : Number(length);
    this.bodyless = method === 'HEAD' || status === 204 || status === 304 || this.expectedBytes === 0;
    if (recorded['content-type']?.includes('event-stream') === true) {
      const encoding = recorded['content-encoding'] ?? 'identity';
      // TRICKY: in a compressed stream its end cannot be seen; there the spool has every chunk before the client does.
      if (encoding === 'identity') this.endWatch = new StreamEndWatch();
      else this.holdEveryChunk = true;
    }
    if (!this.bodyless) setImmediate(() => this.sendHeadEarly());
  }

  /** A piece of the provider's body. */
  data(chunk: Buffer): void {
    if (this.settled) return;
    this.options.recorder.responsePart(chunk);
    this.receivedBytes += chunk.length;
    if (this.expectedBytes !== undefined && this.receivedBytes >= this.expectedBytes) {
      this.lastChunk = chunk;
      return;
    }
    const endsStream = this.endWatch?.sees(chunk) === true;
    if (this.held.length === 0 && !endsStream && !this.holdEveryChunk && this.options.recorder.isOpened()) this.deliver(chunk);
    else this.hold(chunk);
  }

  /** The provider's reply is whole. */
  finish(): void {
    if (this.settled) return;
    this.settled = true;
    const endedAt = this.options.monotonic();
    const { recorder, response } = this.options;
    recorder.end('complete', this.overheadMs, () => {
      this.overheadMs += this.options.monotonic() - endedAt;
      this.sendHead();
      if (this.lastChunk === undefined) response.end();
      else response.end(this.lastChunk);
    });
  }

  /** The provider failed: before its head the client gets our error, after it a broken connection, as the provider's own would be. */
  fail(error: GatelogError): void {
    if (this.settled) return;
    if (this.head === undefined) {
      this.refuse(error, 'no_response');
      return;
    }
    this.settled = true;
    this.options.recorder.end('provider_broke', this.overheadMs, () => {
      // What was held still goes out first; `destroySoon` lets written bytes leave before the connection breaks.
      this.options.response.socket?.destroySoon();
    });
  }

  /** Answers with our own error, on record. */
  refuse(error: GatelogError, outcome: 'refused' | 'no_response' = 'refused'): void {
    if (this.settled) return;
    this.settled = true;
    const { recorder, response, replyHeaders, method } = this.options;
    const body = refusalBody(error);
    recorder.responseHead(error.status, { 'content-type': 'application/json' });
    recorder.responsePart(body);
    recorder.end(outcome, this.overheadMs, () => {
      response.writeHead(error.status, [...refusalHeaders(error, body.length), ...replyHeaders, ...this.notRecordedLine()]);
      if (method === 'HEAD') response.end();
      else response.end(body);
    });
  }

  private clientClosed(): void {
    if (this.settled) return;
    this.settled = true;
    this.options.recorder.end('client_left', this.overheadMs, () => undefined);
    this.call?.abort(new Error('the client has left'));
  }

  /** Holds a chunk until the spool has it. Callbacks come in the order of the calls, so chunks leave in order. */
  private hold(chunk: Buffer): void {
    this.held.push(chunk);
    this.options.recorder.whenWritten(() => {
      const next = this.held.shift();
      if (next !== undefined) this.deliver(next);
    });
  }

  private deliver(chunk: Buffer): void {
    const { response } = this.options;
    if (response.destroyed) return;
    this.sendHead();
    if (response.write(chunk) || this.paused) return;
    this.paused = true;
    this.call?.pause();
    response.once('drain', () => {
      this.paused = false;
      this.call?.resume();
    });
  }

  /** A head whose body keeps the client waiting goes ahead of it, once the spool knows the exchange. */
  private sendHeadEarly(): void {
    const { recorder, response } = this.options;
    if (this.headSent || this.settled || this.lastChunk !== undefined) return;
    if (!recorder.isOpened()) {
      recorder.whenWritten(() => this.sendHeadEarly());
      return;
    }
    this.sendHead();
    response.flushHeaders();
  }

  private sendHead(): void {
    if (this.headSent || this.head === undefined || this.options.response.destroyed) return;
    this.headSent = true;
    const { response } = this.options;
    const { status, message, lines } = this.head;
    // The provider's own Date passes; Node adds one only where there is none.
    response.sendDate = !lines.some((line, index) => index % 2 === 0 && line.toLowerCase() === 'date');
    response.writeHead(status, message, [...lines, ...this.notRecordedLine()]);
  }

  private notRecordedLine(): string[] {
    return this.options.recorder.recorded ? [] : ['svc-recorded', 'false'];
  }
}
