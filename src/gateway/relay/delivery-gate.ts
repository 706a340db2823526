import type { ServerResponse } from 'node:http';
import { firstBytesOf } from '../../model/json/first-bytes.ts';
import { isEventStream } from '../../model/record/media-type.ts';
import { enforceWriteTimeout } from '../../platform/http/write-timeout.ts';
import { isIdentity } from '../http/content-coding.ts';
import type { ExchangeRecorder } from '../record/recorder.ts';
import type { ProviderFlow } from './provider-flow.ts';
import { endIsOpaque, StreamEndDetector } from './stream-end.ts';

export interface ClientHead {
  readonly status: number;
  readonly message: string;
  readonly headers: string[];
  readonly hasDate: boolean;
  /** Undefined for a body of unknown length. */
  readonly contentLength: number | undefined;
}

/**
 * Which chunks wait for the spool before they go to the client. The last chunk of a body of known length always waits for the end of the
 * record.
 */
export type HoldPolicy =
  | { readonly kind: 'none' }
  | { readonly kind: 'every-chunk' }
  /** Only chunks that end in a line end: one of them may be the last line for its reader. */
  | { readonly kind: 'line-end' }
  /** Only chunks that may end the stream for its reader. */
  | { readonly kind: 'stream-end'; readonly detector: StreamEndDetector }
  /** The first bytes decide; the content type is a hint only. */
  | { readonly kind: 'undecided'; readonly hasLength: boolean };

const holdNone: HoldPolicy = { kind: 'none' };
const holdEveryChunk: HoldPolicy = { kind: 'every-chunk' };
const holdLineEnds: HoldPolicy = { kind: 'line-end' };
const decideWithLength: HoldPolicy = { kind: 'undecided', hasLength: true };
const decideWithoutLength: HoldPolicy = { kind: 'undecided', hasLength: false };

/** Media are no streams of events, and scanning them for the end of one would cost time. */
const media = /^\s*(?:audio|image|video)\//i;

/** @param recorded response headers as recorded. */
export function holdPolicyFor(recorded: Readonly<Record<string, string | undefined>>): HoldPolicy {
  const type = recorded['content-type'];
  const hasLength = recorded['content-length'] !== undefined;
  if (!isIdentity(recorded['content-encoding'])) {
    // TRICKY: compression hides what a body is and the end of a stream, so every chunk waits for the spool.
    return isEventStream(type) || (!hasLength && !isMedia(type)) ? holdEveryChunk : holdNone;
  }
  if (!hasLength && endIsOpaque(type)) return holdEveryChunk;
  if (isMedia(type)) return holdNone;
  return hasLength ? decideWithLength : decideWithoutLength;
}

function isMedia(type: string | undefined): boolean {
  return type !== undefined && media.test(type);
}

/** @returns undefined where the chunk shows nothing yet. */
function policyByBytes(chunk: Buffer, hasLength: boolean): HoldPolicy | undefined {
  switch (firstBytesOf(chunk)) {
    case 'blank':
      return undefined;
    case 'json':
      return hasLength ? holdNone : holdLineEnds;
    case 'messages':
      return hasLength ? holdNone : holdEveryChunk;
    case 'other':
      return { kind: 'stream-end', detector: new StreamEndDetector() };
  }
}

/** Whether nothing but blanks follows the last line end. */
function endsLine(chunk: Buffer): boolean {
  let at = chunk.length - 1;
  while (at >= 0 && (chunk[at] === 0x20 || chunk[at] === 0x09)) at -= 1;
  return chunk[at] === 0x0a || chunk[at] === 0x0d;
}

const resolved = Promise.resolve();

/** `detached`: the client has left while its call goes on for others. */
type ClientState = 'reading' | 'stalled' | 'detached';

const noBytes = Buffer.alloc(0);

/**
 * Decides which bytes of a response go to the client, and when.
 *
 * Invariant: the client never has a complete response before its record is in the spool. The gate holds the bytes that would complete it:
 * the last chunk of a body of known length, the end of a chunked one, a chunk that ends a stream for its reader, the head of a response
 * without a body.
 */
export class DeliveryGate {
  private head: ClientHead | undefined;
  private policy: HoldPolicy = holdNone;
  private receivedBytes = 0;
  /** Completes a body of known length. */
  private lastChunk: Buffer | undefined;
  private held: Buffer[] = [];
  /** Index of the oldest chunk in `held` that has not gone out. */
  private nextHeld = 0;
  /** Last chunks in `held` for which the spool has not been asked yet. */
  private unawaited = 0;
  private client: ClientState = 'reading';
  private readonly response: ServerResponse;
  private readonly recorder: ExchangeRecorder;
  private readonly flow: ProviderFlow;
  private readonly clientStallMs: number;

  constructor(response: ServerResponse, recorder: ExchangeRecorder, flow: ProviderFlow, clientStallMs: number) {
    this.response = response;
    this.recorder = recorder;
    this.flow = flow;
    this.clientStallMs = clientStallMs;
  }

  /** Undefined before the head. */
  get status(): number | undefined {
    return this.head?.status;
  }

  setHead(head: ClientHead, policy: HoldPolicy = holdNone): void {
    this.head = head;
    this.policy = policy;
  }

  /** False if the head would complete the response. */
  canSendHeadEarly(method: string): boolean {
    const { head, response } = this;
    return head !== undefined && !response.headersSent && !isBodyless(method, head) && this.lastChunk === undefined;
  }

  flushHead(): void {
    this.sendHead();
    this.response.flushHeaders();
  }

  /** Delivers a chunk of the body now, once the spool has it, or with the end. */
  pass(chunk: Buffer): void {
    if (this.client === 'detached') return;
    const contentLength = this.head?.contentLength;
    this.receivedBytes += chunk.length;
    if (contentLength !== undefined && this.receivedBytes >= contentLength) this.lastChunk = chunk;
    else if (this.mustHold(chunk)) this.hold(chunk);
    else this.deliver(chunk);
  }

  /**
   * Delivers the held chunks and the end. Called once the record is in the spool.
   * @param rest follows the held chunks.
   */
  finish(rest: Buffer | undefined): void {
    this.deliverHeld();
    this.sendHead();
    this.response.end(this.lastChunk ?? rest);
    enforceWriteTimeout(this.response, this.clientStallMs);
  }

  /** As {@link finish}, for a response that the provider broke off; the client sees it truncated. */
  finishBroken(rest: Buffer | undefined): void {
    this.deliverHeld();
    if (rest !== undefined && rest.length > 0) this.deliver(rest);
    this.sendHead();
    this.breakConnection();
  }

  /** The client has left and the call goes on, no longer paused for a slow reader. */
  detachClient(): void {
    this.client = 'detached';
    this.flow.resume('client');
  }

  private mustHold(chunk: Buffer): boolean {
    // The detector must see every chunk, also one that waits anyway.
    return this.mayEnd(chunk) || this.nextHeld < this.held.length || !this.recorder.isOpened();
  }

  private mayEnd(chunk: Buffer): boolean {
    const { policy } = this;
    switch (policy.kind) {
      case 'none':
        return false;
      case 'every-chunk':
        return true;
      case 'line-end':
        return endsLine(chunk);
      case 'stream-end':
        return policy.detector.completesMarker(chunk);
      case 'undecided': {
        const decided = policyByBytes(chunk, policy.hasLength);
        if (decided === undefined) return false;
        this.policy = decided;
        return this.mayEnd(chunk);
      }
    }
  }

  /** Each callback takes the oldest chunk, so chunks leave in order. */
  private hold(chunk: Buffer): void {
    this.held.push(chunk);
    this.unawaited += 1;
    // TRICKY: after everything from one read, because the end of the response, which waits for the spool too, may be in the same one.
    if (this.unawaited === 1) void resolved.then(() => this.awaitHeld());
  }

  private awaitHeld(): void {
    const { unawaited } = this;
    this.unawaited = 0;
    // After the end, nothing is held any more.
    const count = Math.min(unawaited, this.held.length - this.nextHeld);
    for (let asked = 0; asked < count; asked += 1) {
      this.recorder.whenWritten(() => {
        const next = this.takeHeld();
        if (next !== undefined) this.deliver(next);
      });
    }
  }

  /** TRICKY: not `shift`, which moves all later elements: quadratic in the length of the list. */
  private takeHeld(): Buffer | undefined {
    const next = this.held[this.nextHeld];
    if (next === undefined) return undefined;
    this.nextHeld += 1;
    if (this.nextHeld * 2 < this.held.length) return next;
    this.held.splice(0, this.nextHeld);
    this.nextHeld = 0;
    return next;
  }

  /** TRICKY: after a failed write the recorder calls back at once, before earlier callbacks, so this delivers whatever is still held. */
  private deliverHeld(): void {
    const { held, nextHeld } = this;
    this.held = [];
    this.nextHeld = 0;
    for (let index = nextHeld; index < held.length; index += 1) this.deliver(held[index] ?? noBytes);
  }

  private deliver(chunk: Buffer): void {
    const { response } = this;
    if (response.destroyed || this.client === 'detached') return;
    this.sendHead();
    if (response.write(chunk) || this.client === 'stalled') return;
    this.client = 'stalled';
    this.flow.pause('client');
    // TRICKY: the time-out runs only while the client is behind. Always on, it would end calls whose provider is silent; never on, a
    // client could hold a call for ever, because the time-out for a silent provider rests while the provider is paused. Node breaks the
    // connection only if the client read nothing meanwhile.
    response.setTimeout(this.clientStallMs);
    response.once('drain', () => {
      response.setTimeout(0);
      if (this.client === 'stalled') this.client = 'reading';
      this.flow.resume('client');
    });
  }

  private sendHead(): void {
    const { response, recorder, head } = this;
    if (head === undefined || response.headersSent || response.destroyed) return;
    // The provider's own Date passes; Node adds one only if there is none.
    response.sendDate = !head.hasDate;
    response.writeHead(head.status, head.message, recorder.recorded ? head.headers : [...head.headers, 'svc-recorded', 'false']);
  }

  /** Sends what is written, then breaks the connection. Without its end the response is truncated for the client. */
  private breakConnection(): void {
    const { response, head } = this;
    const { socket } = response;
    if (socket === null) response.destroy();
    // TRICKY: where the end of the connection ends the body, as in HTTP/1.0, only a reset marks a broken one.
    else if (response.req.httpVersion === '1.0' && head?.contentLength === undefined) socket.resetAndDestroy();
    else {
      response.flushHeaders();
      // The client may never read what was written.
      response.setTimeout(this.clientStallMs);
      socket.destroySoon();
    }
  }
}

function isBodyless(method: string, { status, contentLength }: ClientHead): boolean {
  return method === 'HEAD' || status === 204 || status === 304 || contentLength === 0;
}
