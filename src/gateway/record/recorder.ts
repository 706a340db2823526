import type { Attempt } from '../../model/record/request-record.ts';
import {
  type EndOverrides,
  type ExchangeEnd,
  type ExchangeOpen,
  type ExchangeOutcome,
  type ExchangeResponseHead,
  frameKinds,
} from '../../model/record/exchange.ts';
import type { CallSpool } from '../../spool/busy-series.ts';
import type { WriteCallback } from '../../spool/write-batch.ts';
import { FrameGatherer } from './frame-gatherer.ts';
import { serializeAnswered, serializeOpen } from './frame-json.ts';
import { RecordedBody } from './recorded-body.ts';

export interface RecorderOptions {
  readonly writer: CallSpool;
  /** Maximum recorded bytes of each body; the rest is counted and flagged. */
  readonly bodyMaxBytes: number;
  /** False when the spool takes no more body parts; the bodies of this exchange are cut there. */
  readonly hasSpaceForParts: () => boolean;
  readonly monotonic: () => number;
  /** Monotonic time at which the request head arrived. */
  readonly startedAt: number;
}

export type Unrecorded = 'spool_full' | 'write_failed';

/** Bytes of one exchange that may wait for the spool before both sides pause; bounds memory when the disk is slower than the network. */
const maxUnwrittenBytes = 1024 * 1024;

/** A body up to this size shares a frame with its metadata. Larger ones are not copied on their way to the spool. */
const maxJoinedBytes = 8 * 1024;
const noBytes = new Uint8Array();
/** Delay before a lost last frame is written again. */
const endRetryMs = 1000;

/**
 * State of the first frame. `absent`: the spool was full, so the call goes on unrecorded. `lost`: the write failed, and the spool does not
 * know the exchange.
 */
type Opening = 'absent' | 'pending' | 'written' | 'lost';

/** The response head and the first chunk, while they may be the whole response. */
interface PendingHead {
  readonly head: ExchangeResponseHead;
  first: Uint8Array | undefined;
}

interface LastFrame {
  readonly head: ExchangeResponseHead | undefined;
  readonly end: ExchangeEnd;
}

/** Records one exchange in the spool as it passes. When the spool is full, it only counts, and calls back at once. */
export class ExchangeRecorder {
  /** False when the exchange is not on record, or not for certain. */
  recorded: boolean;
  /** Milliseconds that the exchange took; 0 before its end. */
  tookMs = 0;
  /** The provider that was called last, known at the end; undefined where a cached response was the answer. */
  provider: string | undefined;
  private readonly options: RecorderOptions;
  private readonly stream: number;
  private readonly open: ExchangeOpen;
  private readonly request: RecordedBody;
  private readonly response: RecordedBody;
  private readonly gatherer: FrameGatherer;
  private opening: Opening;
  private status: number | undefined;
  private pendingHead: PendingHead | undefined;
  private overrides: EndOverrides | undefined;
  private overridesAtEnd: ((outcome: ExchangeOutcome) => EndOverrides) | undefined;
  private ended = false;
  private lastFrame: LastFrame | undefined;
  private firstByteMs: number | undefined;
  private firstTokenMs: number | null | undefined;
  /** Body bytes that passed, and those of them that are in the spool. */
  private passedBytes = 0;
  private writtenBytes = 0;

  constructor(options: RecorderOptions, open: ExchangeOpen, recorded: boolean) {
    this.options = options;
    this.recorded = recorded;
    this.opening = recorded ? 'pending' : 'absent';
    this.stream = options.writer.newStream();
    this.open = open;
    this.request = new RecordedBody(frameKinds.requestPart, open.tags.requestBody);
    this.response = new RecordedBody(frameKinds.responsePart, open.tags.responseBody);
    this.gatherer = new FrameGatherer(options, this.stream, this.onWritten);
  }

  /**
   * Writes the first frame, before all others.
   * @param body the request body, if it is complete.
   */
  begin(body: Uint8Array = noBytes): void {
    const { request } = this;
    if (this.opening === 'absent') {
      request.bytes = body.length;
      return;
    }
    const { writer } = this.options;
    const text = serializeOpen(this.open);
    const joins = body.length > 0 && request.isRecorded && body.length <= this.maxJoined();
    if (joins) {
      request.bytes = body.length;
      this.passedBytes += body.length;
      writer.append(this.stream, frameKinds.opened, { text: `${text}\n`, bytes: body });
    } else {
      writer.append(this.stream, frameKinds.open, text);
    }
    // Registered before the body's own frames are appended: if only those are lost, the spool knows the exchange, which must be ended
    // there.
    writer.whenWritten(this.stream, (written) => {
      this.opening = written ? 'written' : 'lost';
      this.onWritten(written);
    });
    if (!joins && body.length > 0) this.requestPart(body);
  }

  /** Applies only when `recorded` is false. */
  unrecordedReason(): Unrecorded {
    return this.opening === 'absent' ? 'spool_full' : 'write_failed';
  }

  /** Once true, the client may learn the identifier of the exchange. */
  isOpened(): boolean {
    return this.opening !== 'pending';
  }

  /** While true, the feeder of this recorder pauses until {@link whenWritten}. */
  isBehind(): boolean {
    return this.recorded && !this.ended && this.passedBytes - this.writtenBytes > maxUnwrittenBytes;
  }

  requestPart(chunk: Uint8Array): void {
    this.addPart(this.request, this.request.take(chunk, this.options.bodyMaxBytes));
  }

  /** The head waits for chunks of the same event-loop tick, until {@link writeOut}. */
  responseHead(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.ended) return;
    this.status = status;
    if (!this.recorded) return;
    const head: ExchangeResponseHead = { status, headers, elapsedMs: Math.round(this.elapsedMs()) };
    this.pendingHead = { head: this.overrides === undefined ? head : { ...head, ...this.overrides }, first: undefined };
  }

  responsePart(chunk: Uint8Array): void {
    const { pendingHead, response } = this;
    if (pendingHead !== undefined && pendingHead.first === undefined && chunk.length <= this.maxJoined()) {
      // Invariant: the caller writes the head out before the event-loop tick ends, so head and chunk arrived in the same tick.
      this.firstByteMs ??= pendingHead.head.elapsedMs;
      response.bytes = chunk.length;
      pendingHead.first = chunk;
      return;
    }
    this.writeOut();
    this.firstByteMs ??= Math.round(this.elapsedMs());
    this.addPart(response, response.take(chunk, this.options.bodyMaxBytes));
  }

  /** The first byte of the response came at this monotonic time and was held until now. */
  firstByteCame(at: number): void {
    this.firstByteMs = Math.round(at - this.options.startedAt);
  }

  /** Looks are kept at the response for its first content: without any, the record says that there was none. */
  watchesContent(): void {
    this.firstTokenMs = null;
  }

  /** The part that has just come has the first content. */
  contentBegan(): void {
    this.firstTokenMs ??= Math.max(this.firstByteMs ?? 0, Math.round(this.elapsedMs()));
  }

  writeOut(): void {
    const { pendingHead } = this;
    if (pendingHead === undefined) return;
    this.pendingHead = undefined;
    if (!this.recorded || this.ended) return;
    const { head, first } = pendingHead;
    this.options.writer.append(this.stream, frameKinds.responseHead, JSON.stringify(head));
    this.options.writer.whenWritten(this.stream, this.onWritten);
    if (first !== undefined) this.addPart(this.response, first);
  }

  /** Calls back when everything that passed so far is in the spool. */
  whenWritten(settled: WriteCallback): void {
    this.writeOut();
    this.flushParts();
    if (!this.recorded) {
      if (this.ended) this.watchEnd();
      settled(false);
      return;
    }
    const passedBytes = this.passedBytes;
    this.options.writer.whenWritten(this.stream, (written) => {
      this.onWritten(written);
      this.writtenBytes = passedBytes;
      if (!written && this.ended) this.rewriteEnd();
      settled(written);
    });
  }

  /** Adds overrides to the head, if it is yet to come, and to the end; the last value of each wins. */
  setOverrides(overrides: EndOverrides): void {
    this.overrides = { ...this.overrides, ...overrides };
  }

  /** As {@link setOverrides}, called only when the exchange ends. */
  onEnd(overrides: (outcome: ExchangeOutcome) => EndOverrides): void {
    this.overridesAtEnd = overrides;
  }

  /** Two attempts instead of one: the first had no response for `ms`, because its connection had ended. For a call without a plan of retries. */
  sentAgain(ms: number): void {
    const { provider } = this.open;
    const first: Attempt = { provider, status: 0, ms: Math.round(ms), error: 'provider_unreachable' };
    const againAt = this.elapsedMs();
    this.onEnd((outcome) => {
      const last: Attempt = { provider, status: this.status ?? 0, ms: Math.round(this.elapsedMs() - againAt) };
      return { attempts: [first, { ...last, ...withError(outcome, last.status) }] };
    });
  }

  /** Ends the exchange once, and calls back when its record is in the spool. A second call only waits. */
  end(outcome: ExchangeOutcome, overheadMs: number, settled: WriteCallback): void {
    if (!this.ended) {
      this.flushParts();
      this.appendTails();
      const end = this.endOf(outcome, overheadMs);
      this.tookMs = end.elapsedMs;
      this.provider = this.open.cachedFrom === undefined ? (end.provider ?? this.open.provider) : undefined;
      if (this.opening !== 'absent') this.appendEnd(end);
      this.ended = true;
    }
    this.whenWritten(settled);
  }

  private endOf(outcome: ExchangeOutcome, overheadMs: number): ExchangeEnd {
    const { request, response, recorded } = this;
    const end: ExchangeEnd = {
      outcome,
      elapsedMs: Math.round(this.elapsedMs()),
      firstByteMs: this.firstByteMs,
      firstTokenMs: this.firstTokenMs,
      overheadMs: Math.round(overheadMs * 1000) / 1000,
      requestBytes: request.bytes,
      responseBytes: response.bytes,
      status: this.pendingHead === undefined || !recorded ? this.status : undefined,
      requestCut: request.isCut || !recorded ? true : undefined,
      responseCut: response.isCut || !recorded ? true : undefined,
      responseTailFollows: response.tailFollows ? true : undefined,
    };
    if (this.overrides === undefined && this.overridesAtEnd === undefined) return end;
    return { ...end, ...this.overrides, ...this.overridesAtEnd?.(outcome) };
  }

  private appendEnd(end: ExchangeEnd): void {
    const { pendingHead } = this;
    if (pendingHead === undefined || !this.recorded) {
      this.writeLast({ head: undefined, end }, noBytes);
      return;
    }
    this.pendingHead = undefined;
    const { head, first } = pendingHead;
    this.writeLast({ head, end }, this.response.isRecorded ? (first ?? noBytes) : noBytes);
  }

  private writeLast(last: LastFrame, body: Uint8Array): void {
    const { writer } = this.options;
    const { head, end } = last;
    this.lastFrame = last;
    if (head === undefined) {
      writer.append(this.stream, frameKinds.end, JSON.stringify(end));
      return;
    }
    const text = `${serializeAnswered({ head, end })}\n`;
    writer.append(this.stream, frameKinds.answered, { text, bytes: body }, stampOf(end.firstByteMs ?? 0));
  }

  private watchEnd(): void {
    if (this.lastFrame === undefined || this.opening === 'lost') return;
    this.options.writer.whenWritten(this.stream, (written) => {
      if (!written) this.rewriteEnd();
    });
  }

  /**
   * Writes a lost last frame again, without the body and flagged as cut, until it succeeds. Without a last frame the exchange would count
   * as open, and its segment be kept, for the life of this process.
   */
  private rewriteEnd(): void {
    const { lastFrame } = this;
    if (lastFrame === undefined || this.opening === 'lost') return;
    const { head, end } = lastFrame;
    const timer = setTimeout(() => {
      this.writeLast({ head, end: { ...end, requestCut: true, responseCut: true } }, noBytes);
      this.watchEnd();
    }, endRetryMs);
    timer.unref();
  }

  private maxJoined(): number {
    return Math.min(maxJoinedBytes, this.options.bodyMaxBytes);
  }

  private addPart(body: RecordedBody, chunk: Uint8Array): void {
    this.passedBytes += chunk.length;
    if (this.recorded && !this.ended && body.isRecorded && chunk.length > 0) this.gatherer.add(body, chunk, stampOf(this.elapsedMs()));
  }

  private flushParts(): void {
    if (this.recorded) this.gatherer.flush();
    else this.gatherer.drop();
  }

  /** Tails follow all parts; there is a gap between them. */
  private appendTails(): void {
    if (!this.recorded) return;
    const { writer } = this.options;
    const request = this.request.tailBytes();
    if (request !== undefined) writer.append(this.stream, frameKinds.requestTail, request);
    const response = this.response.tailBytes();
    if (response !== undefined) writer.append(this.stream, frameKinds.responseTail, response);
  }

  /** One failed frame makes the record uncertain for good. */
  private readonly onWritten = (written: boolean): void => {
    this.recorded &&= written;
  };

  private elapsedMs(): number {
    return this.options.monotonic() - this.options.startedAt;
  }
}

/** The status of an attempt without a response is 0; `status` is that of our error. */
function withError(outcome: ExchangeOutcome, status: number): Partial<Attempt> {
  switch (outcome) {
    case 'complete':
      return {};
    case 'no_response':
    case 'refused':
      return { status: 0, error: status === 504 ? 'provider_timeout' : 'provider_unreachable' };
    case 'client_left':
    case 'provider_broke':
      return { error: outcome };
  }
}

/** Whole milliseconds, as an unsigned 32-bit number. */
function stampOf(elapsedMs: number): number {
  return Math.min(2 ** 32 - 1, Math.round(elapsedMs));
}
