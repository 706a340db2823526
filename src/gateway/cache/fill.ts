import type { GatelogError } from '../../model/errors.ts';
import { wireFacts } from '../../providers/wire-facts.ts';
import type { Clock } from '../../platform/clock.ts';
import { decodeWhole, isIdentity } from '../http/content-coding.ts';
import { filterHeaders, type HeaderList } from '../../platform/http/header-list.ts';
import type { Lease } from './single-flight.ts';
import { isCacheable } from './cacheable.ts';
import { readResponseHead } from '../relay/response-headers.ts';
import type { CallControl, ResponseSink } from '../upstream/response-sink.ts';

export interface KeeperOptions {
  readonly next: ResponseSink;
  readonly turn: Lease;
  /** Ends the record and the call of a disconnected caller. */
  readonly abandon: () => void;
  readonly requestId: string;
  readonly userId: () => string | Promise<string>;
  readonly maxAgeMs: number;
  /** Limits the encoded and the decoded body; a larger response is not kept. */
  readonly maxResponseBytes: number;
  readonly clock: Clock;
}

interface KeptHead {
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
const { perDeliveryPrefixes } = wireFacts;

/**
 * Passes a response on and keeps it if it is complete and a success; otherwise the lease ends without a response. If the caller
 * disconnects, the call to the provider is aborted, unless equal calls wait for its response: then it runs as long as that response may
 * still be kept.
 *
 * Invariant: the lease of a call ends through its fill, so that a call whose caller has disconnected ends with it.
 */
export class CacheFill implements ResponseSink {
  private readonly options: KeeperOptions;
  private readonly startedAt: number;
  private call: CallControl | undefined;
  private isPaused = false;
  private abortedBy: Error | undefined;
  /** The caller has disconnected; the call runs on for equal calls. */
  private isLeftBehind = false;
  private head: KeptHead | undefined;
  private chunks: Buffer[] = [];
  private bytes = 0;
  private gaveUp = false;

  constructor(options: KeeperOptions) {
    this.options = options;
    this.startedAt = options.clock.monotonic();
    options.next.begin({
      pause: () => this.pause(true),
      resume: () => this.pause(false),
      abort: (reason) => this.abort(reason),
      survivesDisconnect: () => this.survivesDisconnect(),
    });
  }

  /** TRICKY: the caller's side begins before the provider's, so it may already have aborted or paused. */
  begin(call: CallControl): void {
    this.call = call;
    if (this.abortedBy !== undefined) call.abort(this.abortedBy);
    else if (this.isPaused) call.pause();
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
    this.head = { status, lines: linesToKeep(passed), coding, contentType: recorded['content-type'] ?? '' };
  }

  data(chunk: Buffer): void {
    this.options.next.data(chunk);
    if (this.gaveUp) return;
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
    if (head === undefined || this.gaveUp) {
      this.giveUp();
      return;
    }
    const latencyMs = Math.round(this.options.clock.monotonic() - this.startedAt);
    const body = Buffer.concat(this.chunks);
    if (head.coding === undefined || isIdentity(head.coding) || body.length === 0) {
      this.keep(head, body, latencyMs);
      return;
    }
    decodeWhole(body, head.coding, this.options.maxResponseBytes).then(
      (decoded) => (decoded === undefined ? this.giveUp() : this.keep(head, decoded, latencyMs)),
      () => this.giveUp(),
    );
  }

  fail(error: GatelogError): void {
    this.options.next.fail(error);
    this.giveUp();
  }

  private keep(head: KeptHead, body: Buffer, latencyMs: number): void {
    const { turn, requestId, userId, maxAgeMs, clock } = this.options;
    if (!isCacheable(body, head.contentType)) {
      turn.giveUp();
      return;
    }
    const createdAt = clock.now();
    const { status, lines } = head;
    const keepFor = (user: string): void =>
      turn.keep({ requestId, userId: user, status, headers: lines, body, createdAt, expiresAt: createdAt + maxAgeMs, latencyMs });
    try {
      const user = userId();
      if (typeof user === 'string') keepFor(user);
      else user.then(keepFor, () => turn.giveUp());
    } catch {
      // Without the user, an erasure could not find the response.
      turn.giveUp();
    }
  }

  /** No response will be kept, so equal calls stop waiting. */
  giveUp(): void {
    this.endTurn(() => this.options.turn.giveUp());
  }

  /** Aborts the call of a disconnected caller once no other call waits for its response. */
  abortIfUnawaited(): void {
    if (this.isLeftBehind && !this.options.turn.isAwaited()) this.endTurn(() => this.options.turn.pass());
  }

  private endTurn(end: () => void): void {
    if (this.gaveUp) return;
    this.gaveUp = true;
    this.chunks = [];
    end();
    if (this.isLeftBehind) this.options.abandon();
  }

  private pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    if (isPaused) this.call?.pause();
    else this.call?.resume();
  }

  private survivesDisconnect(): boolean {
    if (this.gaveUp || !this.options.turn.isAwaited()) return false;
    this.isLeftBehind = true;
    return true;
  }

  private abort(reason: Error): void {
    this.abortedBy = reason;
    // Immediately, because an aborted call need not report its end.
    this.endTurn(() => this.options.turn.pass());
    this.call?.abort(reason);
  }
}

function linesToKeep(lines: HeaderList): readonly string[] {
  return filterHeaders(lines, (name) => !perDelivery.has(name) && !perDeliveryPrefixes.some((prefix) => name.startsWith(prefix)));
}
