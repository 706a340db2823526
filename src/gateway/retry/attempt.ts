import { type ErrorCode, GatelogError } from '../../model/errors.ts';
import type { Attempt } from '../../model/record/request-record.ts';
import { headerValue, type HeaderList } from '../../platform/http/header-list.ts';
import { decodeBuffered, isIdentity } from '../http/content-coding.ts';
import { objectReportsError } from '../json/reported-errors.ts';
import { ReplyBeginning, type Seen } from '../relay/reply-beginning.ts';
import type { UnpackingAllowance } from '../relay/unpacking-time.ts';
import { bytes, startOfValue } from '../json/scan.ts';
import { refusalMaxBytes, reportsTooLong } from './context-length.ts';
import { type PartRead, replyErrorStatus } from './next-attempt.ts';
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
   * What of a response with this status the decision depends on. The response is then held: a refusal until it is complete, or too long for a
   * plain one; a good reply until its first content.
   */
  readonly partRead: (status: number) => PartRead;
  /** A held reply is passed on, whose first byte came at this monotonic time. */
  readonly passesBuffered: (firstByteAt: number) => void;
}

export interface AttemptHead {
  readonly status: number;
  readonly raw: HeaderList;
  /** The body reports a prompt that is too long for the model. */
  readonly isTooLong: boolean;
}

/** The start of a response that waits for the decision. */
interface BufferedStart {
  readonly raw: HeaderList;
  readonly message: string;
  /** Of a good reply; absent for a refusal. */
  readonly beginning: ReplyBeginning | undefined;
  readonly timer: NodeJS.Timeout | undefined;
  readonly chunks: Buffer[];
  firstByteAt: number | undefined;
  bytes: number;
  isComplete: boolean;
}

export interface ProviderAttemptOptions {
  readonly decider: RetryDecider;
  readonly sink: ResponseSink;
  readonly provider: string;
  readonly monotonic: () => number;
  readonly unpacking: UnpackingAllowance;
}

/** How much of a reply is held that shows nothing, and for how long. */
const bufferedMaxBytes = refusalMaxBytes;
const bufferedMaxMs = 2000;

/** A discarded response is read up to this size and for this long, so that its connection can be reused; beyond that it is aborted. */
const drainedMaxBytes = 64 * 1024;
const drainedMaxMs = 1000;

/** One attempt's response: held until its status is known, then passed on or discarded. */
export class ProviderAttempt implements ResponseSink {
  error: ErrorCode | 'provider_broke' | 'reply_error' | undefined;
  private readonly options: ProviderAttemptOptions;
  private startedAt: number;
  private call: CallControl | undefined;
  private status = 0;
  private state: 'open' | 'buffered' | 'passed' | 'dropped' = 'open';
  private buffered: BufferedStart | undefined;
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
    const part = this.options.decider.partRead(status);
    if (part !== 'none') this.beginBuffering(part, raw, message);
    else if (this.options.decider.retries(this, { status, raw, isTooLong: false })) {
      this.drain();
    } else {
      this.state = 'passed';
      this.options.sink.start(status, raw, message);
    }
  }

  data(chunk: Buffer): void {
    if (this.state === 'passed') this.options.sink.data(chunk);
    else if (this.buffered !== undefined) this.buffer(this.buffered, chunk);
    this.drainedBytes += chunk.length;
    if (this.state === 'dropped' && this.drainedBytes > drainedMaxBytes) this.call?.abort(new Error('its reply is not wanted'));
  }

  sendHeadEarly(): void {
    if (this.state === 'passed') this.options.sink.sendHeadEarly();
  }

  finish(): void {
    clearTimeout(this.drainTimer);
    if (this.state === 'passed') this.options.sink.finish();
    if (this.buffered === undefined) return;
    this.buffered.isComplete = true;
    const { chunks, raw, beginning, timer } = this.buffered;
    clearTimeout(timer);
    const seen = beginning?.end() ?? 'nothing';
    if (seen !== 'nothing') {
      this.settleBy(seen);
      return;
    }
    const decider = (body: Buffer | undefined): void => this.settleComplete(body, beginning !== undefined);
    const coding = headerValue(raw, 'content-encoding');
    if (isIdentity(coding)) {
      decider(Buffer.concat(chunks));
      return;
    }
    decodeBuffered(Buffer.concat(chunks), coding ?? '', bufferedMaxBytes)
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
    const { decider, sink } = this.options;
    if (this.buffered !== undefined) this.settleBroken(this.buffered, error);
    if (this.state === 'dropped' || decider.isDisconnected()) {
      clearTimeout(this.drainTimer);
      return;
    }
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

  /** The client has left: a reply of which nothing was seen yet is on record as far as it came. */
  passBuffered(): void {
    if (this.buffered?.beginning !== undefined) this.pass(this.buffered);
  }

  private beginBuffering(part: PartRead, raw: HeaderList, message: string): void {
    const isReply = part === 'beginning';
    const beginning = isReply
      ? new ReplyBeginning(headerValue(raw, 'content-encoding'), { errors: true, unpacking: this.options.unpacking })
      : undefined;
    const timer = isReply ? setTimeout(() => this.endBuffering(), bufferedMaxMs) : undefined;
    this.state = 'buffered';
    this.buffered = { raw, message, beginning, timer, chunks: [], firstByteAt: undefined, bytes: 0, isComplete: false };
  }

  private buffer(buffered: BufferedStart, chunk: Buffer): void {
    buffered.firstByteAt ??= this.options.monotonic();
    buffered.chunks.push(chunk);
    buffered.bytes += chunk.length;
    const seen = buffered.beginning?.see(chunk) ?? 'nothing';
    if (seen !== 'nothing') this.settleBy(seen);
    // A body of this size is neither a plain refusal nor an error alone.
    else if (buffered.bytes > bufferedMaxBytes) this.settle(this.status);
  }

  /** It has shown nothing for so long. */
  private endBuffering(): void {
    try {
      this.settle(this.status);
      this.sendHeadEarly();
    } catch (error) {
      this.failed(error);
    }
  }

  private settleBy(seen: Exclude<Seen, 'nothing'>): void {
    if (seen === 'content') this.settle(this.status);
    else this.settleFailed(replyErrorStatus, 'reply_error');
  }

  /** @param body decoded; undefined where it can not be. */
  private settleComplete(body: Buffer | undefined, isReply: boolean): void {
    if (!isReply) this.settle(this.status, body !== undefined && reportsTooLong(body));
    else if (body !== undefined && reportsErrorAlone(body)) this.settleFailed(replyErrorStatus, 'reply_error');
    else this.settle(this.status);
  }

  private settleBroken({ beginning }: BufferedStart, { status }: GatelogError): void {
    if (beginning === undefined) this.settle(this.status);
    else this.settleFailed(status, 'provider_broke');
  }

  /** @param status what it counts as. */
  private settleFailed(status: number, error: 'provider_broke' | 'reply_error'): void {
    this.error = error;
    this.settle(status);
    if (this.state === 'passed') this.error = undefined;
  }

  /** @param status by which it is decided on. */
  private settle(status: number, isTooLong = false): void {
    const { buffered } = this;
    const { decider } = this.options;
    clearTimeout(buffered?.timer);
    if (buffered === undefined || decider.isDisconnected()) {
      this.buffered = undefined;
      return;
    }
    if (decider.retries(this, { status, raw: buffered.raw, isTooLong })) {
      this.buffered = undefined;
      if (buffered.isComplete) this.state = 'dropped';
      else this.drain();
      return;
    }
    this.pass(buffered);
    if (buffered.isComplete) this.options.sink.finish();
  }

  private pass({ raw, message, timer, chunks, firstByteAt }: BufferedStart): void {
    const { decider, sink } = this.options;
    clearTimeout(timer);
    this.buffered = undefined;
    this.state = 'passed';
    if (firstByteAt !== undefined) decider.passesBuffered(firstByteAt);
    sink.start(this.status, raw, message);
    for (const chunk of chunks) sink.data(chunk);
  }

  private drain(): void {
    this.state = 'dropped';
    this.drainTimer = setTimeout(() => this.call?.abort(new Error('its reply is not wanted')), drainedMaxMs);
    this.drainTimer.unref();
  }
}

/** A body that is an error and nothing else, over several lines too; Google's is in a list. */
function reportsErrorAlone(body: Buffer): boolean {
  const start = startOfValue(body);
  return objectReportsError(body.subarray(body[start] === bytes.openBracket ? start + 1 : start)) === true;
}
