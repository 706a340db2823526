import { type ErrorCode, GatelogError } from '../../model/errors.ts';
import type { Attempt } from '../../model/record/request-record.ts';
import { headerValue, type HeaderList } from '../../platform/http/header-list.ts';
import { decodeWhole, isIdentity } from '../http/content-coding.ts';
import { refusalMaxBytes, reportsTooLong } from './context-length.ts';
import type { CallControl, ResponseSink } from '../upstream/response-sink.ts';

export interface RetryDecider {
  /** The client has left: no attempt may go on. */
  readonly isDisconnected: () => boolean;
  /**
   * Called once, with the status of the response, or of our error in its place.
   * @returns true when another attempt follows and this response is discarded.
   */
  readonly retries: (attempt: ProviderAttempt, head: AttemptHead) => boolean;
  /** The attempt was sent once more, on another connection: it counts as two. */
  readonly sentAgain: (first: Attempt) => void;
  /**
   * Whether the decision depends on the body of a response with this status. The response is then held until its body is complete, or too
   * long for a plain refusal.
   */
  readonly needsBody: (status: number) => boolean;
}

export interface AttemptHead {
  readonly status: number;
  readonly raw: HeaderList;
  /** The body reports a prompt that is too long for the model. */
  readonly isTooLong: boolean;
}

/** The start of a response that waits for the decision. */
interface Held {
  readonly raw: HeaderList;
  readonly message: string;
  readonly chunks: Buffer[];
  bytes: number;
  isWhole: boolean;
}

export interface ProviderAttemptOptions {
  readonly decider: RetryDecider;
  readonly sink: ResponseSink;
  readonly provider: string;
  readonly monotonic: () => number;
}

/** A discarded response is read up to this size and for this long, so that its connection can be reused; beyond that it is aborted. */
const drainedMaxBytes = 64 * 1024;
const drainedMaxMs = 1000;

/** One attempt's response: held until its status is known, then passed on or discarded. */
export class ProviderAttempt implements ResponseSink {
  error: ErrorCode | undefined;
  private readonly options: ProviderAttemptOptions;
  private startedAt: number;
  private call: CallControl | undefined;
  private status = 0;
  private state: 'open' | 'held' | 'passed' | 'dropped' = 'open';
  private held: Held | undefined;
  private drainedBytes = 0;
  private drainTimer: NodeJS.Timeout | undefined;

  constructor(options: ProviderAttemptOptions) {
    this.options = options;
    this.startedAt = options.monotonic();
  }

  outcome(): Attempt {
    const { options, startedAt, status, error } = this;
    const base = { provider: options.provider, status, ms: Math.round(options.monotonic() - startedAt) };
    return error === undefined ? base : { ...base, error };
  }

  pause(): void {
    this.call?.pause();
  }

  resume(): void {
    this.call?.resume();
  }

  abort(reason: Error): void {
    this.call?.abort(reason);
  }

  begin(call: CallControl): void {
    this.call = call;
    if (this.options.decider.isDisconnected()) call.abort(new Error('the client has left'));
  }

  sentAgain(ms: number): void {
    const { decider, provider, monotonic } = this.options;
    decider.sentAgain({ provider, status: 0, ms: Math.round(ms), error: 'provider_unreachable' });
    this.startedAt = monotonic();
  }

  start(status: number, raw: HeaderList, message: string): void {
    if (status < 200 || this.state !== 'open') return;
    this.status = status;
    if (this.options.decider.needsBody(status)) {
      this.state = 'held';
      this.held = { raw, message, chunks: [], bytes: 0, isWhole: false };
    } else if (this.options.decider.retries(this, { status, raw, isTooLong: false })) {
      this.drain();
    } else {
      this.state = 'passed';
      this.options.sink.start(status, raw, message);
    }
  }

  data(chunk: Buffer): void {
    if (this.state === 'passed') this.options.sink.data(chunk);
    else if (this.held !== undefined) this.hold(this.held, chunk);
    this.drainedBytes += chunk.length;
    if (this.state === 'dropped' && this.drainedBytes > drainedMaxBytes) this.call?.abort(new Error('its reply is not wanted'));
  }

  sendHeadEarly(): void {
    if (this.state === 'passed') this.options.sink.sendHeadEarly();
  }

  finish(): void {
    clearTimeout(this.drainTimer);
    if (this.state === 'passed') this.options.sink.finish();
    if (this.held === undefined) return;
    this.held.isWhole = true;
    const { chunks, raw } = this.held;
    const decider = (body: Buffer | undefined): void => this.settle(body !== undefined && reportsTooLong(body));
    const coding = headerValue(raw, 'content-encoding');
    if (isIdentity(coding)) {
      decider(Buffer.concat(chunks));
      return;
    }
    decodeWhole(Buffer.concat(chunks), coding ?? '', refusalMaxBytes)
      .then(decider)
      .catch((error: unknown) => this.failed(error));
  }

  /** TRICKY: an exception in a later tick would end the process, with all its calls. */
  private failed(cause: unknown): void {
    try {
      this.fail(new GatelogError('internal', 'The gateway failed on this call.', { cause }));
    } catch {
      // The error cannot be reported either.
    }
  }

  fail(error: GatelogError): void {
    clearTimeout(this.drainTimer);
    const { decider, sink } = this.options;
    if (this.held !== undefined) this.settle(false);
    if (this.state === 'dropped' || decider.isDisconnected()) return;
    if (this.state === 'open') {
      this.error = error.code;
      if (decider.retries(this, { status: error.status, raw: [], isTooLong: false })) {
        this.state = 'dropped';
        return;
      }
    }
    this.state = 'passed';
    sink.fail(error);
  }

  private hold(held: Held, chunk: Buffer): void {
    held.chunks.push(chunk);
    held.bytes += chunk.length;
    // A body of this size is not a plain refusal.
    if (held.bytes > refusalMaxBytes) this.settle(false);
  }

  private settle(isTooLong: boolean): void {
    const { held, status } = this;
    const { decider, sink } = this.options;
    this.held = undefined;
    if (held === undefined || decider.isDisconnected()) return;
    if (decider.retries(this, { status, raw: held.raw, isTooLong })) {
      if (held.isWhole) this.state = 'dropped';
      else this.drain();
      return;
    }
    this.state = 'passed';
    sink.start(status, held.raw, held.message);
    for (const chunk of held.chunks) sink.data(chunk);
    if (held.isWhole) sink.finish();
  }

  private drain(): void {
    this.state = 'dropped';
    this.drainTimer = setTimeout(() => this.call?.abort(new Error('its reply is not wanted')), drainedMaxMs);
    this.drainTimer.unref();
  }
}
