import type { GatelogError } from '../../model/errors.ts';
import { wireProfile } from '../../providers/wire-profile.ts';
import type { Clock } from '../../platform/clock.ts';
import { isIdentity } from '../http/content-coding.ts';
import { filterHeaders, type HeaderList } from '../../platform/http/header-list.ts';
import type { Lease } from './single-flight.ts';
import { isCacheable } from './cacheable.ts';
import { readResponseHead } from '../relay/response-headers.ts';
import type { CallControl, ResponseSink } from '../upstream/response-sink.ts';

export interface CacheFillOptions {
  readonly next: ResponseSink;
  readonly lease: Lease;
  /** Ends the record and the call of a disconnected caller. */
  readonly abandon: () => void;
  readonly requestId: string;
  readonly userId: () => string | Promise<string>;
  readonly maxAgeMs: number;
  /** Limits the encoded and the decoded body; a larger response is not kept. */
  readonly maxResponseBytes: number;
  /** Decodes a body. Where it rejects or gives nothing, the response is not kept. */
  readonly unpack: (bytes: Buffer, packed: { readonly coding: string; readonly maxBytes: number }) => Promise<Buffer | undefined>;
  readonly clock: Clock;
}

interface CapturedHead {
  readonly status: number;
  readonly lines: readonly string[];
  readonly coding: string | undefined;
  readonly contentType: string;
}

/** Headers of one delivery, which must not be replayed to another caller. */
const perDelivery: ReadonlySet<string> = new Set([
  'age',
  'content-digest',
  'content-encoding',
  'content-length',
  'content-md5',
  'date',
  'digest',
  'retry-after',
  'set-cookie',
]);
const { perDeliveryPrefixes } = wireProfile;

/**
 * Passes a response on and keeps it if it is complete and a success; otherwise the lease ends without a response. If the caller
 * disconnects, the call to the provider is aborted, unless equal calls wait for its response: then it runs as long as that response may
 * still be kept.
 *
 * Invariant: the lease of a call ends through its fill, so that a call whose caller has disconnected ends with it.
 */
export class CacheFill implements ResponseSink {
  private readonly options: CacheFillOptions;
  private readonly startedAt: number;
  private call: CallControl | undefined;
  private isPaused = false;
  private abortedBy: Error | undefined;
  /** The caller has disconnected; the call runs on for equal calls. */
  private isDetached = false;
  private head: CapturedHead | undefined;
  private chunks: Buffer[] = [];
  private bytes = 0;
  private hasEnded = false;

  constructor(options: CacheFillOptions) {
    this.options = options;
    this.startedAt = options.clock.monotonic();
    options.next.begin({
      pause: () => this.pause(true),
      resume: () => this.pause(false),
      abort: (reason) => this.abort(reason),
      survivesDisconnect: () => this.survivesDisconnect(),
      passBuffered: () => this.call?.passBuffered?.(),
    });
  }

  /** TRICKY: the caller's side begins before the provider's, so it may already have aborted or paused. */
  begin(call: CallControl): void {
    this.call = call;
    if (this.abortedBy !== undefined) call.abort(this.abortedBy);
    else if (this.isPaused) call.pause();
  }

  sentAgain(ms: number): void {
    this.options.next.sentAgain?.(ms);
  }

  start(status: number, raw: HeaderList, message: string): void {
    this.options.next.start(status, raw, message);
    if (status < 200) return;
    if (status > 299) {
      this.giveUp();
      return;
    }
    const { passed, recorded } = readResponseHead(raw);
    const coding = recorded['content-encoding'];
    this.head = { status, lines: cacheableHeaders(passed), coding, contentType: recorded['content-type'] ?? '' };
  }

  data(chunk: Buffer): void {
    this.options.next.data(chunk);
    if (this.hasEnded) return;
    this.bytes += chunk.length;
    if (this.bytes > this.options.maxResponseBytes) this.giveUp();
    else this.chunks.push(chunk);
  }

  sendHeadEarly(): void {
    this.options.next.sendHeadEarly();
  }

  finish(): void {
    this.options.next.finish();
    const { head } = this;
    if (head === undefined || this.hasEnded) {
      this.giveUp();
      return;
    }
    const latencyMs = Math.round(this.options.clock.monotonic() - this.startedAt);
    const body = Buffer.concat(this.chunks);
    if (head.coding === undefined || isIdentity(head.coding) || body.length === 0) {
      this.store(head, body, latencyMs);
      return;
    }
    this.options.unpack(body, { coding: head.coding, maxBytes: this.options.maxResponseBytes }).then(
      (decoded) => (decoded === undefined ? this.giveUp() : this.store(head, decoded, latencyMs)),
      () => this.giveUp(),
    );
  }

  fail(error: GatelogError): void {
    this.options.next.fail(error);
    this.giveUp();
  }

  private store(head: CapturedHead, body: Buffer, latencyMs: number): void {
    const { lease, requestId, userId, maxAgeMs, clock } = this.options;
    if (!isCacheable(body, head.contentType)) {
      lease.giveUp();
      return;
    }
    const createdAt = clock.now();
    const { status, lines } = head;
    const storeFor = (user: string): void =>
      lease.store({ requestId, userId: user, status, headers: lines, body, createdAt, expiresAt: createdAt + maxAgeMs, latencyMs });
    try {
      const user = userId();
      if (typeof user === 'string') storeFor(user);
      else user.then(storeFor, () => lease.giveUp());
    } catch {
      // Without the user, an erasure could not find the response.
      lease.giveUp();
    }
  }

  /** No response will be kept, so equal calls stop waiting. */
  giveUp(): void {
    this.endLease(() => this.options.lease.giveUp());
  }

  /** Aborts the call of a disconnected caller once no other call waits for its response. */
  abortIfUnawaited(): void {
    if (this.isDetached && !this.options.lease.isAwaited()) this.endLease(() => this.options.lease.release());
  }

  private endLease(end: () => void): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.chunks = [];
    end();
    if (this.isDetached) this.options.abandon();
  }

  private pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    if (isPaused) this.call?.pause();
    else this.call?.resume();
  }

  private survivesDisconnect(): boolean {
    if (this.hasEnded || !this.options.lease.isAwaited()) return false;
    this.isDetached = true;
    return true;
  }

  private abort(reason: Error): void {
    this.abortedBy = reason;
    // Immediately, because an aborted call need not report its end.
    this.endLease(() => this.options.lease.release());
    this.call?.abort(reason);
  }
}

function cacheableHeaders(lines: HeaderList): readonly string[] {
  return filterHeaders(lines, (name) => !perDelivery.has(name) && !perDeliveryPrefixes.some((prefix) => name.startsWith(prefix)));
}
