import {
  type EndFacts,
  type ExchangeEnd,
  type ExchangeOpen,
  type ExchangeOutcome,
  type ExchangeResponseHead,
  frameKinds,
} from '../../model/record/exchange.ts';
import type { SpoolWriter } from '../../spool/writer.ts';
import type { WriteCallback } from '../../spool/write-batch.ts';
import { FrameGatherer } from './frame-gatherer.ts';
import { serializeAnswered, serializeOpen } from './frame-json.ts';
import { RecordedBody } from './recorded-body.ts';

export interface RecorderOptions {
  readonly writer: SpoolWriter;
  /** Recorded bytes of each body; what passes beyond is counted and flagged. */
  readonly bodyMaxBytes: number;
  /** False when the spool takes no further part of a body; nothing more of this exchange's bodies is recorded then. */
  readonly takesParts: () => boolean;
  readonly monotonic: () => number;
  /** Monotonic time at which the request's head had arrived. */
  readonly startedAt: number;
}

/** Why an exchange is not on record. */
export type Unrecorded = 'spool_full' | 'write_failed';

/** Bytes of one exchange that may wait for the spool; then the sides wait too. Bounds memory where the disk is slower than the network. */
const maxUnwrittenBytes = 1024 * 1024;

/** A body up to this size goes into one frame with what is known beside it. Larger ones are not copied on their way to the spool. */
const maxJoinedBytes = 8 * 1024;
const noBytes = new Uint8Array();
/** A last frame for which there was no room is tried again after so long. */
const endRetryMs = 1000;

/**
 * How the spool has the first frame of an exchange. `absent`: there was no room, so the call goes on unrecorded. `lost`: the write failed, and the
 * spool knows nothing of the exchange.
 */
type Opening = 'absent' | 'pending' | 'written' | 'lost';

/** The response's head, and the first piece of its body, while they may be all of it. */
interface PendingHead {
  readonly head: ExchangeResponseHead;
  first: Uint8Array | undefined;
}

/** What the last frame held, for the case that it is lost. */
interface LastFrame {
  readonly head: ExchangeResponseHead | undefined;
  readonly end: ExchangeEnd;
}

/** Records one exchange in the spool as it passes. Without room in the spool it counts, and calls back at once. */
export class ExchangeRecorder {
  /** False when the exchange is not, or no longer surely, on record. */
  recorded: boolean;
  private readonly options: RecorderOptions;
  private readonly stream: number;
  private readonly open: ExchangeOpen;
  private readonly request: RecordedBody;
  private readonly response: RecordedBody;
  private readonly gatherer: FrameGatherer;
  private opening: Opening;
  private status: number | undefined;
  private pendingHead: PendingHead | undefined;
  private facts: EndFacts | undefined;
  private factsAtEnd: ((outcome: ExchangeOutcome) => EndFacts) | undefined;
  private ended = false;
  private lastFrame: LastFrame | undefined;
  private firstByteMs: number | undefined;
  /** Bytes that passed, and how many of them the spool has. */
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

  /** Makes the exchange known to the spool, before anything else of it; with its request's body where that is here, whole. */
  begin(whole: Uint8Array = noBytes): void {
    const { request } = this;
    if (this.opening === 'absent') {
      request.bytes = whole.length;
      return;
    }
    const { writer } = this.options;
    const text = serializeOpen(this.open);
    const joins = whole.length > 0 && request.isKept && whole.length <= this.maxJoined();
    if (joins) {
      request.bytes = whole.length;
      this.passedBytes += whole.length;
      writer.append(this.stream, frameKinds.opened, { text: `${text}\n`, bytes: whole });
    } else {
      writer.append(this.stream, frameKinds.open, text);
    }
    // Before a body in frames of its own: where only that is lost the exchange is known to the spool, and has to be ended there.
    writer.whenWritten(this.stream, (written) => {
      this.opening = written ? 'written' : 'lost';
      this.onWritten(written);
    });
    if (!joins && whole.length > 0) this.requestPart(whole);
  }

  /** Why the exchange is not on record, where it is not. */
  unrecordedBecause(): Unrecorded {
    return this.opening === 'absent' ? 'spool_full' : 'write_failed';
  }

  /** From then on the client may learn the identifier of the exchange. */
  isOpened(): boolean {
    return this.opening !== 'pending';
  }

  /** True while much waits for the spool: whoever feeds this recorder pauses until {@link whenWritten}. */
  isBehind(): boolean {
    return this.recorded && !this.ended && this.passedBytes - this.writtenBytes > maxUnwrittenBytes;
  }

  requestPart(chunk: Uint8Array): void {
    this.keep(this.request, this.request.take(chunk, this.options.bodyMaxBytes));
  }

  /** The head waits for what comes in the same tick of the event loop, until {@link writeOut}. */
  responseHead(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.ended) return;
    this.status = status;
    if (!this.recorded) return;
    const head: ExchangeResponseHead = { status, headers, elapsedMs: Math.round(this.elapsedMs()) };
    this.pendingHead = { head: this.facts === undefined ? head : { ...head, ...this.facts }, first: undefined };
  }

  responsePart(chunk: Uint8Array): void {
    const { pendingHead, response } = this;
    if (pendingHead !== undefined && pendingHead.first === undefined && chunk.length <= this.maxJoined()) {
      // Invariant: the caller writes the head out before the tick of the event loop ends, so both came in the same one.
      this.firstByteMs = pendingHead.head.elapsedMs;
      response.bytes = chunk.length;
      pendingHead.first = chunk;
      return;
    }
    this.writeOut();
    this.firstByteMs ??= Math.round(this.elapsedMs());
    this.keep(response, response.take(chunk, this.options.bodyMaxBytes));
  }

  /** Gives the spool what waits for more of the response. */
  writeOut(): void {
    const { pendingHead } = this;
    if (pendingHead === undefined) return;
    this.pendingHead = undefined;
    if (!this.recorded || this.ended) return;
    const { head, first } = pendingHead;
    this.options.writer.append(this.stream, frameKinds.responseHead, JSON.stringify(head));
    this.options.writer.whenWritten(this.stream, this.onWritten);
    if (first !== undefined) this.keep(this.response, first);
  }

  /** Calls back when all that passed so far is in the spool. */
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

  /** Adds facts to the head, if it comes later, and to the end; the last value of a fact holds. */
  setFacts(facts: EndFacts): void {
    this.facts = { ...this.facts, ...facts };
  }

  /** As {@link setFacts}, called only when the exchange ends. */
  onEnd(facts: (outcome: ExchangeOutcome) => EndFacts): void {
    this.factsAtEnd = facts;
  }

  /** Ends the exchange, once; calls back when its record is in the spool. A second end changes nothing and only waits. */
  end(outcome: ExchangeOutcome, overheadMs: number, settled: WriteCallback): void {
    if (!this.ended) {
      this.flushParts();
      this.appendTails();
      if (this.opening !== 'absent') this.appendEnd(this.endOf(outcome, overheadMs));
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
      overheadMs: Math.round(overheadMs * 1000) / 1000,
      requestBytes: request.bytes,
      responseBytes: response.bytes,
      status: this.pendingHead === undefined || !recorded ? this.status : undefined,
      requestCut: request.isCut || !recorded ? true : undefined,
      responseCut: response.isCut || !recorded ? true : undefined,
    };
    if (this.facts === undefined && this.factsAtEnd === undefined) return end;
    return { ...end, ...this.facts, ...this.factsAtEnd?.(outcome) };
  }

  private appendEnd(end: ExchangeEnd): void {
    const { pendingHead } = this;
    if (pendingHead === undefined || !this.recorded) {
      this.writeLast({ head: undefined, end }, noBytes);
      return;
    }
    this.pendingHead = undefined;
    const { head, first } = pendingHead;
    this.writeLast({ head, end }, this.response.isKept ? (first ?? noBytes) : noBytes);
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
   * The last frame was lost, and without one the exchange would count as open, and its segment be kept, for as long as this process lives. So it is
   * written again, without the body, until there is room, and says that parts are missing.
   */
  private rewriteEnd(): void {
    const { lastFrame } = this;
    if (lastFrame === undefined || this.opening === 'lost') return;
    const { head, end } = lastFrame;
    const again = setTimeout(() => {
      this.writeLast({ head, end: { ...end, requestCut: true, responseCut: true } }, noBytes);
      this.watchEnd();
    }, endRetryMs);
    again.unref();
  }

  private maxJoined(): number {
    return Math.min(maxJoinedBytes, this.options.bodyMaxBytes);
  }

  private keep(body: RecordedBody, chunk: Uint8Array): void {
    this.passedBytes += chunk.length;
    if (this.recorded && !this.ended && body.isKept && chunk.length > 0) this.gatherer.add(body, chunk, stampOf(this.elapsedMs()));
  }

  private flushParts(): void {
    if (this.recorded) this.gatherer.flush();
    else this.gatherer.drop();
  }

  /** Behind all other parts, which they do not touch. */
  private appendTails(): void {
    if (!this.recorded) return;
    const { writer } = this.options;
    const request = this.request.tailBytes();
    if (request !== undefined) writer.append(this.stream, frameKinds.requestTail, request);
    const response = this.response.tailBytes();
    if (response !== undefined) writer.append(this.stream, frameKinds.responseTail, response);
  }

  /** A frame that could not be written makes the record unsure for good. */
  private readonly onWritten = (written: boolean): void => {
    this.recorded &&= written;
  };

  private elapsedMs(): number {
    return this.options.monotonic() - this.options.startedAt;
  }
}

/** A frame's stamp: whole milliseconds. */
function stampOf(elapsedMs: number): number {
  return Math.min(2 ** 32 - 1, Math.round(elapsedMs));
}
