import type { ServerResponse } from 'node:http';
import { isEventStream } from '../../model/record/media-type.ts';
import { enforceWriteTimeout } from '../../platform/http/write-timeout.ts';
import { isIdentity } from '../http/content-coding.ts';
import type { ExchangeRecorder } from '../record/recorder.ts';
import type { ProviderFlow } from './provider-flow.ts';
import { endIsOpaque, StreamEndDetector } from './stream-end.ts';

/** The head of a response as the client gets it. */
export interface ClientHead {
  readonly status: number;
  readonly message: string;
  readonly lines: string[];
  readonly hasDate: boolean;
  /** Bytes of the body; undefined where only its end tells. */
  readonly contentLength: number | undefined;
}

/** Which chunks wait for the spool before the client gets them, beside the last one of a body of known length, which waits for the end of the record. */
export type HoldPolicy =
  | { readonly kind: 'none' }
  | { readonly kind: 'every-chunk' }
  /** Those that may end the stream for its reader. */
  | { readonly kind: 'stream-end'; readonly detector: StreamEndDetector };

const holdNone: HoldPolicy = { kind: 'none' };
const holdEveryChunk: HoldPolicy = { kind: 'every-chunk' };

/** @param recorded the headers of the response that its record keeps. */
export function holdPolicyFor(recorded: Readonly<Record<string, string>>): HoldPolicy {
  const type = recorded['content-type'];
  if (isEventStream(type)) {
    // TRICKY: a compressed stream hides its end; there the spool has every chunk before the client does.
    return isIdentity(recorded['content-encoding']) ? { kind: 'stream-end', detector: new StreamEndDetector() } : holdEveryChunk;
  }
  return recorded['content-length'] === undefined && endIsOpaque(type) ? holdEveryChunk : holdNone;
}

/** A detached client has left while its call goes on for others. */
type ClientState = 'reading' | 'stalled' | 'detached';

const noBytes = Buffer.alloc(0);

/**
 * Decides what of a response goes to the client, and when.
 *
 * Invariant: the response is never whole for its client before its record is in the spool. The gate holds what would complete it: the last chunk of
 * a body of known length, the end of a chunked one, a chunk that ends a stream for its reader, the head of a response without a body.
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

  /** The status of the response; undefined before its head. */
  get status(): number | undefined {
    return this.head?.status;
  }

  setHead(head: ClientHead, policy: HoldPolicy = holdNone): void {
    this.head = head;
    this.policy = policy;
  }

  /** Whether the head would tell the client less than the whole response. */
  canSendHeadEarly(method: string): boolean {
    const { head, response } = this;
    return head !== undefined && !response.headersSent && !isBodyless(method, head) && this.lastChunk === undefined;
  }

  /** Sends the head ahead of a body that keeps the client waiting. */
  flushHead(): void {
    this.sendHead();
    this.response.flushHeaders();
  }

  /** Takes a chunk of the body: delivers it now, once the spool has it, or with the end. */
  pass(chunk: Buffer): void {
    if (this.client === 'detached') return;
    const contentLength = this.head?.contentLength;
    this.receivedBytes += chunk.length;
    if (contentLength !== undefined && this.receivedBytes >= contentLength) this.lastChunk = chunk;
    else if (this.mustHold(chunk)) this.hold(chunk);
    else this.deliver(chunk);
  }

  /** The record is in the spool: delivers all that was held, and the end. @param rest what follows the held chunks. */
  finish(rest: Buffer | undefined): void {
    this.deliverHeld();
    this.sendHead();
    this.response.end(this.lastChunk ?? rest);
    enforceWriteTimeout(this.response, this.clientStallMs);
  }

  /** As {@link finish}, of a response that the provider broke off: the client finds it cut short. */
  finishBroken(rest: Buffer | undefined): void {
    this.deliverHeld();
    if (rest !== undefined && rest.length > 0) this.deliver(rest);
    this.sendHead();
    this.breakConnection();
  }

  /** The client has left and the call goes on: nothing waits for a slow reader any more. */
  detachClient(): void {
    this.client = 'detached';
    this.flow.resume('client');
  }

  private mustHold(chunk: Buffer): boolean {
    const { policy } = this;
    // The detector sees every chunk, also one that waits anyway.
    const mayEnd = policy.kind === 'stream-end' ? policy.detector.sees(chunk) : policy.kind === 'every-chunk';
    return mayEnd || this.nextHeld < this.held.length || !this.recorder.isOpened();
  }

  /** Whichever callback comes takes the oldest chunk, so chunks leave in order. */
  private hold(chunk: Buffer): void {
    this.held.push(chunk);
    this.recorder.whenWritten(() => {
      const next = this.takeHeld();
      if (next !== undefined) this.deliver(next);
    });
  }

  /** TRICKY: `shift` moves all that stand behind: quadratic in the length of the list. */
  private takeHeld(): Buffer | undefined {
    const next = this.held[this.nextHeld];
    if (next === undefined) return undefined;
    this.nextHeld += 1;
    if (this.nextHeld * 2 < this.held.length) return next;
    this.held.splice(0, this.nextHeld);
    this.nextHeld = 0;
    return next;
  }

  /** TRICKY: after a failed write the recorder calls back at once, ahead of callbacks that still wait; nothing may stay behind then. */
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
    // TRICKY: Node looks whether the client took anything meanwhile before it breaks the connection. Set all the time, this would end calls whose
    // provider is silent; and the time-out for a provider's silence rests while it is paused, so without it a client could hold a call for ever.
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
    // The provider's own Date passes; Node adds one only where there is none.
    response.sendDate = !head.hasDate;
    response.writeHead(head.status, head.message, recorder.recorded ? head.lines : [...head.lines, 'svc-recorded', 'false']);
  }

  /** What was written still goes out, then the connection breaks: without its end the client takes the response for cut short. */
  private breakConnection(): void {
    const { response, head } = this;
    const { socket } = response;
    if (socket === null) response.destroy();
    // TRICKY: where the end of the connection is the end of the body, as in HTTP/1.0, only a reset tells the two apart.
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
