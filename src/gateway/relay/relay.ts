import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { ErrorCode, GatelogError } from '../../model/errors.ts';
import type { ExchangeOutcome } from '../../model/record/exchange.ts';
import { isEventStream } from '../../model/record/media-type.ts';
import { enforceWriteTimeout } from '../../platform/http/write-timeout.ts';
import { isIdentity } from '../http/content-coding.ts';
import { filterHeaders, type HeaderList } from '../../platform/http/header-list.ts';
import type { CallLog } from '../call-log.ts';
import type { GatewayMeter } from '../metrics.ts';
import { errorBody, errorHeaders } from '../http/error-response.ts';
import { readResponseHead } from './response-headers.ts';
import type { CallControl, ResponseSink } from '../upstream/response-sink.ts';
import { serverTiming } from '../http/server-timing.ts';
import { endIsOpaque, StreamEndDetector } from './stream-end.ts';
import { UsageChunkFilter } from './stream-usage.ts';
import type { ExchangeRecorder } from '../record/recorder.ts';

export interface RelayOptions {
  readonly response: ServerResponse;
  readonly recorder: ExchangeRecorder;
  readonly meter: GatewayMeter;
  readonly callLog?: CallLog | undefined;
  /** The caller's method: a reply to HEAD has no body. */
  readonly method: string;
  /** Our own lines on the reply (`svc-id`, …), name and value in turn. */
  readonly responseHeaders: readonly string[];
  /** A stream's usage was asked for by us, so it is recorded and kept from the client. */
  readonly hidesUsage: boolean;
  /** Longest time for which a client may take nothing of what waits for it, milliseconds. */
  readonly clientStallMs: number;
}

interface Head {
  readonly status: number;
  readonly message: string;
  readonly lines: string[];
  readonly hasDate: boolean;
}

/**
 * The way back: passes a provider's reply to the client and into the recorder, byte for byte.
 *
 * Invariant: the reply is never whole for its client before its record is in the spool. What would make it whole is held until then: the last
 * chunk of a body of known length, the end of a chunked one, a chunk that ends a stream for its reader, the head of a reply without a body.
 * Invariant: nothing here throws into the spool, whose callbacks serve all calls of this process.
 */
export class Relay implements ResponseSink {
  /** Milliseconds of our own work before the call goes out, told by the caller before there is a head. */
  overheadMs = 0;
  private responseHeaders: readonly string[];
  private readonly options: RelayOptions;
  private call: CallControl | undefined;
  private head: Head | undefined;
  private headSent = false;
  private bodyless = false;
  private expectedBytes: number | undefined;
  private receivedBytes = 0;
  private lastChunk: Buffer | undefined;
  private endWatch: StreamEndDetector | undefined;
  private usageFilter: UsageChunkFilter | undefined;
  private holdEveryChunk = false;
  private held: Buffer[] = [];
  /** How many of those that are held have gone out already. */
  private heldGone = 0;
  /** Why the provider waits: the client is slow, the spool is slow, or both. */
  private pauses = 0;
  private draining = false;
  private waitsForSpool = false;
  /** The client has left; the call goes on for others, and onto the record. */
  private detached = false;
  private settled = false;

  constructor(options: RelayOptions) {
    this.options = options;
    this.responseHeaders = options.responseHeaders;
    const { response } = options;
    const leave = (): void => this.onClientDisconnect();
    // Not `once`, which costs an object and a function for each call: a second time changes nothing.
    response.on('close', leave);
    if (response.socket !== null) return;
    // TRICKY: of pipelined calls Node tells only the one whose turn it is that the client left; the others hear it from the connection.
    const { socket } = response.req;
    socket.once('close', leave);
    response.once('close', () => socket.off('close', leave));
  }

  /** The call to the provider has begun; a client that left meanwhile ends it. */
  begin(call: CallControl): void {
    this.call = call;
    if (this.settled) call.abort(new Error('the client has left'));
  }

  /** Adds lines of our own to the reply, name and value in turn, before it begins. */
  announce(lines: readonly string[]): void {
    this.responseHeaders = [...this.responseHeaders, ...lines];
  }

  /** The provider's head. Interim (1xx) heads are dropped: they are between us and the provider. */
  start(status: number, raw: HeaderList, message: string): void {
    if (this.settled || status < 200) return;
    const { method, recorder } = this.options;
    const { passed, recorded, hasDate } = readResponseHead(raw);
    recorder.responseHead(status, recorded);
    this.head = { status, message: reasonPhrase(status, message), lines: this.withOwn(passed), hasDate };
    const length = recorded['content-length'];
    this.expectedBytes = length === undefined ? undefined : Number(length);
    this.bodyless = method === 'HEAD' || status === 204 || status === 304 || this.expectedBytes === 0;
    if (isEventStream(recorded['content-type'])) {
      const isPlain = isIdentity(recorded['content-encoding']);
      // TRICKY: in a compressed stream its end cannot be seen; there the spool has every chunk before the client does.
      if (isPlain) this.endWatch = new StreamEndDetector();
      else this.holdEveryChunk = true;
      if (this.options.hidesUsage && isPlain) this.hideUsage(this.head);
    } else if (this.expectedBytes === undefined) this.holdEveryChunk = endIsOpaque(recorded['content-type']);
  }

  /** Adds our own lines to those of a reply, in the list that it is given, which is the one it returns. */
  private withOwn(lines: string[]): string[] {
    lines.push(...this.responseHeaders, 'server-timing', serverTiming(this.overheadMs));
    return lines;
  }

  /** What the client gets will be shorter than what the provider says. */
  private hideUsage(head: Head): void {
    this.usageFilter = new UsageChunkFilter();
    this.expectedBytes = undefined;
    this.head = { ...head, lines: withoutLength(head.lines) };
  }

  /** A head whose body keeps the client waiting goes ahead of it, once the spool knows the exchange. */
  sendHeadEarly(): void {
    const { recorder, response } = this.options;
    recorder.writeOut();
    if (this.settled || this.detached || this.head === undefined || this.headSent) return;
    if (this.bodyless || this.lastChunk !== undefined) return;
    if (!recorder.isOpened()) {
      recorder.whenWritten(() => this.sendHeadEarly());
      return;
    }
    this.sendHead();
    response.flushHeaders();
  }

  /** A piece of the provider's body. */
  data(chunk: Buffer): void {
    if (this.settled) return;
    const { recorder } = this.options;
    recorder.responsePart(chunk);
    if (!this.detached) {
      const passed = this.usageFilter === undefined ? chunk : this.usageFilter.pass(chunk);
      if (passed.length > 0) this.passOn(passed);
    }
    if (recorder.isBehind()) this.waitForSpool();
  }

  /** What of a piece is for the client: now, once the spool has it, or with the end. */
  private passOn(chunk: Buffer): void {
    const { recorder } = this.options;
    this.receivedBytes += chunk.length;
    if (this.expectedBytes !== undefined && this.receivedBytes >= this.expectedBytes) {
      this.lastChunk = chunk;
      return;
    }
    const endsStream = this.endWatch?.sees(chunk) === true;
    if (!this.holdsAny() && !endsStream && !this.holdEveryChunk && recorder.isOpened()) this.deliver(chunk);
    else this.hold(chunk);
  }

  /** The provider's reply is whole. */
  finish(): void {
    if (this.settled) return;
    this.settle('complete', () => {
      this.deliverHeld();
      this.sendHead();
      const last = this.lastChunk ?? this.usageFilter?.rest();
      const { response, clientStallMs } = this.options;
      response.end(last);
      enforceWriteTimeout(response, clientStallMs);
    });
  }

  /** The provider failed: before its head the client gets our error, after it a broken connection, as the provider's own would be. */
  fail(error: GatelogError): void {
    if (this.settled) return;
    if (this.head === undefined) {
      this.refuse(error, refusedHere.has(error.code) ? 'refused' : 'no_response');
      return;
    }
    this.options.callLog?.failed(this.options.response, error.code);
    this.settle('provider_broke', () => {
      this.deliverHeld();
      const rest = this.usageFilter?.rest();
      if (rest !== undefined && rest.length > 0) this.deliver(rest);
      this.sendHead();
      this.breakConnection();
    });
  }

  /** Answers with our own error, on record. */
  refuse(error: GatelogError, outcome: 'refused' | 'no_response' = 'refused'): void {
    if (this.settled) return;
    if (this.head !== undefined) {
      this.fail(error);
      return;
    }
    if (this.detached) {
      this.settle('client_left', () => undefined);
      return;
    }
    const { recorder, method } = this.options;
    this.options.callLog?.failed(this.options.response, error.code);
    const body = errorBody(error);
    // Of our own refusals all lines pass: they have none that only a provider may not say.
    const { passed, recorded } = readResponseHead(errorHeaders(error, body.length));
    this.head = { status: error.status, message: reasonPhrase(error.status, ''), lines: this.withOwn(passed), hasDate: false };
    recorder.responseHead(error.status, recorded);
    recorder.responsePart(body);
    this.settle(outcome, () => {
      const { response, clientStallMs } = this.options;
      this.sendHead();
      response.end(method === 'HEAD' ? undefined : body);
      enforceWriteTimeout(response, clientStallMs);
    });
  }

  /**
   * The client closed its connection before it had its reply: what was seen so far is the record, and the provider need not go on. Where others
   * wait for the reply it does go on, and what comes is recorded to its end, as it is paid for.
   */
  onClientDisconnect(): void {
    if (this.settled) return;
    const { call } = this;
    if (call?.survivesDisconnect?.() === true) {
      this.detached = true;
      // The slow reader that it waited for is gone.
      if (this.draining) this.drained();
      return;
    }
    this.settle('client_left', () => undefined);
    call?.abort(new Error('the client has left'));
  }

  /** Ends the exchange, once; `then` runs when its record is in the spool, unless the client has left by then. */
  private settle(outcome: ExchangeOutcome, then: () => void): void {
    this.settled = true;
    const { detached: leftBehind } = this;
    // A provider's connection is used again after this; it must not be paused or resumed from here any more.
    this.call = undefined;
    const { recorder, meter } = this.options;
    const ended = leftBehind ? 'client_left' : outcome;
    recorder.end(ended, this.overheadMs, () => {
      meter.ended(ended, this.head?.status ?? 0, this.overheadMs);
      if (!recorder.recorded) meter.unrecorded(recorder.unrecordedBecause());
      if (!leftBehind && !this.options.response.destroyed) then();
    });
  }

  /** Holds a chunk until the spool has it. Whichever callback comes takes the oldest chunk, so chunks leave in order. */
  private hold(chunk: Buffer): void {
    this.held.push(chunk);
    this.options.recorder.whenWritten(() => {
      const next = this.takeHeld();
      if (next !== undefined) this.deliver(next);
    });
  }

  private holdsAny(): boolean {
    return this.heldGone < this.held.length;
  }

  /** TRICKY: `shift` moves all that stand behind, so that a long list would take the square of its length. */
  private takeHeld(): Buffer | undefined {
    const next = this.held[this.heldGone];
    if (next === undefined) return undefined;
    this.heldGone += 1;
    if (this.heldGone * 2 < this.held.length) return next;
    this.held.splice(0, this.heldGone);
    this.heldGone = 0;
    return next;
  }

  /** TRICKY: after a failed write the recorder answers at once, ahead of callbacks that still wait; nothing may stay behind then. */
  private deliverHeld(): void {
    const { held, heldGone } = this;
    this.held = [];
    this.heldGone = 0;
    for (let index = heldGone; index < held.length; index += 1) this.deliver(held[index] ?? noBytes);
  }

  private deliver(chunk: Buffer): void {
    const { response, clientStallMs } = this.options;
    if (response.destroyed || this.detached) return;
    this.sendHead();
    if (response.write(chunk) || this.draining) return;
    this.draining = true;
    this.pause();
    // TRICKY: Node looks whether the client took anything meanwhile before it breaks the connection. Always set, this would end calls whose
    // provider is silent; and the time-out for a provider's silence rests while it is paused, so without it a client could hold a call for ever.
    response.setTimeout(clientStallMs);
    response.once('drain', () => {
      response.setTimeout(0);
      this.drained();
    });
  }

  private drained(): void {
    if (!this.draining) return;
    this.draining = false;
    this.resume();
  }

  private waitForSpool(): void {
    if (this.waitsForSpool) return;
    this.waitsForSpool = true;
    this.pause();
    this.options.recorder.whenWritten(() => {
      this.waitsForSpool = false;
      this.resume();
    });
  }

  private pause(): void {
    this.pauses += 1;
    if (this.pauses === 1) this.call?.pause();
  }

  private resume(): void {
    this.pauses -= 1;
    if (this.pauses === 0) this.call?.resume();
  }

  private sendHead(): void {
    const { response, recorder } = this.options;
    if (this.headSent || this.head === undefined || response.destroyed) return;
    this.headSent = true;
    const { status, message, lines, hasDate } = this.head;
    // The provider's own Date passes; Node adds one only where there is none.
    response.sendDate = !hasDate;
    response.writeHead(status, message, recorder.recorded ? lines : [...lines, 'svc-recorded', 'false']);
  }

  /** What was written still goes out, then the connection breaks: without its end the client takes the reply for what it is, cut short. */
  private breakConnection(): void {
    const { response } = this.options;
    const { socket } = response;
    if (socket === null) response.destroy();
    // TRICKY: where the end of the connection is the end of the body, as in HTTP/1.0, only a reset tells the two apart.
    else if (response.req.httpVersion === '1.0' && this.expectedBytes === undefined) socket.resetAndDestroy();
    else {
      response.flushHeaders();
      // What it was given it may never take.
      response.setTimeout(this.options.clientStallMs);
      socket.destroySoon();
    }
  }
}

const noBytes = Buffer.alloc(0);

function withoutLength(lines: readonly string[]): string[] {
  return filterHeaders(lines, (name) => name !== 'content-length');
}

/** Failures on the way to a provider that are ours: nothing was called. */
const refusedHere: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'body_too_large',
  'malformed_request',
  'target_not_allowed',
  'too_many_calls',
]);

function reasonPhrase(status: number, message: string): string {
  return message === '' ? (STATUS_CODES[status] ?? '') : message;
}
