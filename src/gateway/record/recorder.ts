import {
  type BodyKeeping,
  type EndFacts,
  type ExchangeAnswer,
  type ExchangeEnd,
  type ExchangeOpen,
  type ExchangeOutcome,
  type ExchangeResponseHead,
  frameKinds,
} from '../../model/record/exchange.ts';
import type { Settled, SpoolWriter } from '../../spool/writer.ts';
import { TailBuffer } from './tail-buffer.ts';
import { serializeAnswered, serializeOpen } from './frame-json.ts';

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

/**
 * The more frames an exchange has, the more bytes a further one holds at least: one more for each so many. A body of n bytes, in however small pieces,
 * is less than 12 √n frames then, and each frame is known to the ingest by its place, which takes more memory than a byte.
 */
const framesPerByte = 64;
/** Where each piece has to be in the spool before it goes on, they are not gathered; what passes after so many frames is not kept. */
const maxFrames = 200_000;

/** A body up to this size goes into one frame with what is known beside it. Larger ones are not copied on their way to the spool. */
const maxJoinedBytes = 8 * 1024;
const noBytes = new Uint8Array();
/** A last frame for which there was no room is tried again after so long. */
const endRetryMs = 1000;

/** Pieces of a body that become one frame. */
interface Gathered {
  readonly kind: number;
  readonly stamp: number;
  readonly chunks: Uint8Array[];
  bytes: number;
}

/**
 * Taps one exchange into the spool as it passes. Without a writer (no room left) it keeps counting and says yes to everything, so that the
 * call goes on unrecorded.
 */
export class ExchangeRecorder {
  /** False when the exchange is not, or no longer surely, on record. */
  recorded: boolean;
  private readonly options: RecorderOptions;
  private readonly stream: number;
  private readonly keepRequest: BodyKeeping;
  private readonly keepResponse: BodyKeeping;
  /** The spool was given this exchange's first frame, so it has to be given its last one too. */
  private readonly inSpool: boolean;
  private readonly open: ExchangeOpen;
  private status: number | undefined;
  /** The reply's head and its first piece, while they may be all of it. */
  private head: ExchangeResponseHead | undefined;
  private withHead: Uint8Array | undefined;
  private facts: EndFacts | undefined;
  private factsAtEnd: ((outcome: ExchangeOutcome) => EndFacts) | undefined;
  private opened = false;
  private openLost = false;
  private ended = false;
  /** What the last frame said, for the case that it is lost. */
  private lastHead: ExchangeResponseHead | undefined;
  private lastEnd: ExchangeEnd | undefined;
  private requestBytes = 0;
  private responseBytes = 0;
  private requestCut = false;
  private responseCut = false;
  private requestTail: TailBuffer | undefined;
  private responseTail: TailBuffer | undefined;
  private firstByteMs: number | undefined;
  private frames = 0;
  private takesNoParts = false;
  private gathered: Gathered | undefined;
  /** Bytes that passed, and how many of them the spool has. */
  private passedBytes = 0;
  private writtenBytes = 0;

  constructor(options: RecorderOptions, open: ExchangeOpen, recorded: boolean) {
    this.options = options;
    this.recorded = recorded;
    this.inSpool = recorded;
    this.stream = options.writer.newStream();
    this.open = open;
    this.keepRequest = open.tags.requestBody ?? 'kept';
    this.keepResponse = open.tags.responseBody ?? 'kept';
  }

  /** Makes the exchange known to the spool, before anything else of it; with its request's body where that is here, whole. */
  begin(whole: Uint8Array = noBytes): void {
    if (!this.inSpool) {
      this.opened = true;
      this.requestBytes = whole.length;
      return;
    }
    const { writer } = this.options;
    const text = serializeOpen(this.open);
    const joins = whole.length > 0 && this.keepRequest !== 'never' && whole.length <= this.maxJoined();
    if (joins) {
      this.requestBytes = whole.length;
      this.passedBytes += whole.length;
      writer.append(this.stream, frameKinds.opened, { text: `${text}\n`, bytes: whole });
    } else {
      writer.append(this.stream, frameKinds.open, text);
    }
    // Before a body in frames of its own: where only that is lost the exchange is known to the spool, and has to be ended there.
    writer.whenWritten(this.stream, (written) => {
      this.opened = true;
      this.openLost = !written;
      this.note(written);
    });
    if (!joins && whole.length > 0) this.requestPart(whole);
  }

  /** Why the exchange is not on record; asked only where it is not. */
  unrecordedBecause(): Unrecorded {
    return this.inSpool ? 'write_failed' : 'spool_full';
  }

  /** True once the spool knows this exchange: from then on its identifier may be told. */
  isOpened(): boolean {
    return this.opened;
  }

  /** True while much waits for the spool: whoever feeds this recorder pauses until {@link whenWritten}. */
  isBehind(): boolean {
    return this.recorded && !this.ended && this.passedBytes - this.writtenBytes > maxUnwrittenBytes;
  }

  requestPart(chunk: Uint8Array): void {
    const room = this.options.bodyMaxBytes - this.requestBytes;
    this.requestBytes += chunk.length;
    if (chunk.length > room) {
      this.requestCut = true;
      (this.requestTail ??= new TailBuffer()).add(chunk.subarray(Math.max(0, room)));
    }
    this.keep(frameKinds.requestPart, this.keepRequest, chunk.length > room ? chunk.subarray(0, Math.max(0, room)) : chunk);
  }

  /** The head waits for what comes in the same turn of the event loop, until {@link writeOut}. */
  responseHead(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.ended) return;
    this.status = status;
    if (!this.recorded) return;
    const head: ExchangeResponseHead = { status, headers, elapsedMs: Math.round(this.elapsedMs()) };
    this.head = this.facts === undefined ? head : { ...head, ...this.facts };
  }

  responsePart(chunk: Uint8Array): void {
    const { head } = this;
    if (head !== undefined && this.takesWithHead(chunk)) {
      // Invariant: whoever feeds this writes the head out before the turn of the event loop ends, so both came in the same one.
      this.firstByteMs = head.elapsedMs;
      this.responseBytes = chunk.length;
      this.withHead = chunk;
      return;
    }
    this.writeOut();
    this.firstByteMs ??= Math.round(this.elapsedMs());
    const room = this.options.bodyMaxBytes - this.responseBytes;
    this.responseBytes += chunk.length;
    if (chunk.length > room) {
      this.responseCut = true;
      (this.responseTail ??= new TailBuffer()).add(chunk.subarray(Math.max(0, room)));
    }
    this.keep(frameKinds.responsePart, this.keepResponse, chunk.length > room ? chunk.subarray(0, Math.max(0, room)) : chunk);
  }

  /** Gives the spool what waits for more of the reply. */
  writeOut(): void {
    const { head, withHead } = this;
    if (head === undefined) return;
    this.head = undefined;
    this.withHead = undefined;
    if (!this.recorded || this.ended) return;
    this.options.writer.append(this.stream, frameKinds.responseHead, JSON.stringify(head));
    this.options.writer.whenWritten(this.stream, this.note);
    if (withHead !== undefined) this.keep(frameKinds.responsePart, this.keepResponse, withHead);
  }

  /** Calls back when all that passed so far is in the spool. */
  whenWritten(settled: Settled): void {
    this.writeOut();
    this.writeGathered();
    if (!this.recorded) {
      if (this.ended && this.inSpool && !this.openLost) this.watchEnd();
      settled(false);
      return;
    }
    const passedBytes = this.passedBytes;
    this.options.writer.whenWritten(this.stream, (written) => {
      this.note(written);
      this.writtenBytes = passedBytes;
      if (!written && this.ended) this.rewriteEnd();
      settled(written);
    });
  }

  /** Tells what the head, if it comes later, and the end will say beside their own; what is told later of the same thing holds. */
  tell(facts: EndFacts): void {
    this.facts = { ...this.facts, ...facts };
  }

  /** As {@link tell}, asked only when the exchange ends. */
  onEnd(facts: (outcome: ExchangeOutcome) => EndFacts): void {
    this.factsAtEnd = facts;
  }

  /** Ends the exchange, once; calls back when its record is in the spool. A second end changes nothing and only waits. */
  end(outcome: ExchangeOutcome, overheadMs: number, settled: Settled): void {
    if (!this.ended) {
      this.writeGathered();
      this.writeTails();
    }
    if (!this.ended && this.inSpool) this.appendEnd(this.endOf(outcome, overheadMs));
    this.ended = true;
    this.whenWritten(settled);
  }

  private endOf(outcome: ExchangeOutcome, overheadMs: number): ExchangeEnd {
    const lossy = !this.recorded;
    const end: ExchangeEnd = {
      outcome,
      elapsedMs: Math.round(this.elapsedMs()),
      firstByteMs: this.firstByteMs,
      overheadMs: Math.round(overheadMs * 1000) / 1000,
      requestBytes: this.requestBytes,
      responseBytes: this.responseBytes,
      status: this.head === undefined || lossy ? this.status : undefined,
      requestCut: this.requestCut || lossy ? true : undefined,
      responseCut: this.responseCut || lossy ? true : undefined,
    };
    if (this.facts === undefined && this.factsAtEnd === undefined) return end;
    return { ...end, ...this.facts, ...this.factsAtEnd?.(outcome) };
  }

  private watchEnd(): void {
    this.options.writer.whenWritten(this.stream, (written) => {
      if (!written) this.rewriteEnd();
    });
  }

  /**
   * The last frame was lost, and without one the exchange would count as open, and its segment be kept, for as long as this process lives. So it is
   * written again until there is room, and says that parts are missing.
   */
  private rewriteEnd(): void {
    const { lastHead: head, lastEnd, openLost } = this;
    if (lastEnd === undefined || openLost) return;
    const end: ExchangeEnd = { ...lastEnd, requestCut: true, responseCut: true };
    const again = setTimeout(() => {
      const { writer } = this.options;
      if (head === undefined) writer.append(this.stream, frameKinds.end, JSON.stringify(end));
      else writer.append(this.stream, frameKinds.answered, `${serializeAnswered({ head, end })}\n`);
      this.watchEnd();
    }, endRetryMs);
    again.unref();
  }

  private appendEnd(end: ExchangeEnd): void {
    const { writer } = this.options;
    const { head, withHead } = this;
    this.lastEnd = end;
    if (head === undefined || !this.recorded) {
      writer.append(this.stream, frameKinds.end, JSON.stringify(end));
      return;
    }
    this.lastHead = head;
    this.head = undefined;
    this.withHead = undefined;
    const answer: ExchangeAnswer = { head, end };
    const bytes = this.keepResponse === 'never' ? noBytes : (withHead ?? noBytes);
    writer.append(this.stream, frameKinds.answered, { text: `${serializeAnswered(answer)}\n`, bytes }, stampOf(end.firstByteMs ?? 0));
  }

  /** A first small piece stays with its head, for the case that it is all. */
  private takesWithHead(chunk: Uint8Array): boolean {
    return this.withHead === undefined && chunk.length <= this.maxJoined();
  }

  private maxJoined(): number {
    return Math.min(maxJoinedBytes, this.options.bodyMaxBytes);
  }

  private keep(kind: number, keeping: BodyKeeping, chunk: Uint8Array): void {
    this.passedBytes += chunk.length;
    if (!this.recorded || this.ended || keeping === 'never' || chunk.length === 0) return;
    const stamp = stampOf(this.elapsedMs());
    if (this.gathered === undefined && chunk.length * framesPerByte >= this.frames) {
      this.appendPart(kind, chunk, stamp);
      return;
    }
    if (this.gathered?.kind !== kind) this.writeGathered();
    this.gathered ??= { kind, stamp, chunks: [], bytes: 0 };
    this.gathered.chunks.push(chunk);
    this.gathered.bytes += chunk.length;
    if (this.gathered.bytes * framesPerByte >= this.frames) this.writeGathered();
  }

  private writeGathered(): void {
    const { gathered } = this;
    this.gathered = undefined;
    if (gathered !== undefined && this.recorded) this.appendPart(gathered.kind, Buffer.concat(gathered.chunks), gathered.stamp);
  }

  /** Behind all other parts: they do not touch those. */
  private writeTails(): void {
    const { recorded, keepRequest, keepResponse, requestTail, responseTail } = this;
    if (!recorded) return;
    const { writer } = this.options;
    if (requestTail !== undefined && keepRequest !== 'never') writer.append(this.stream, frameKinds.requestTail, requestTail.bytes());
    if (responseTail !== undefined && keepResponse !== 'never') writer.append(this.stream, frameKinds.responseTail, responseTail.bytes());
  }

  private appendPart(kind: number, bytes: Uint8Array, stamp: number): void {
    this.takesNoParts ||= this.frames >= maxFrames || !this.options.takesParts();
    if (this.takesNoParts) {
      if (kind === frameKinds.requestPart) this.requestCut = true;
      else this.responseCut = true;
      return;
    }
    this.frames += 1;
    this.options.writer.append(this.stream, kind, bytes, stamp);
    this.options.writer.whenWritten(this.stream, this.note);
  }

  /** A part that could not be written makes the record unsure for good. */
  private readonly note = (written: boolean): void => {
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
