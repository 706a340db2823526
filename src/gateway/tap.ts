import {
  type BodyKeeping,
  type EndFacts,
  type ExchangeEnd,
  type ExchangeOpen,
  type ExchangeOutcome,
  type ExchangeResponseHead,
  frameKinds,
} from '../model/exchange.ts';
import type { Settled, SpoolWriter } from '../spool/writer.ts';

export interface RecorderOptions {
  readonly writer: SpoolWriter;
  /** Recorded bytes of each body; what passes beyond is counted and flagged. */
  readonly bodyMaxBytes: number;
  readonly monotonic: () => number;
  /** Monotonic time at which the request's head had arrived. */
  readonly startedAt: number;
}

/** Bytes of one exchange that may wait for the spool; then the sides wait too. Bounds memory where the disk is slower than the network. */
const mostUnwrittenBytes = 1024 * 1024;

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
  private facts: EndFacts | undefined;
  private factsAtEnd: ((outcome: ExchangeOutcome) => EndFacts) | undefined;
  private opened = false;
  private ended = false;
  private requestBytes = 0;
  private responseBytes = 0;
  private requestCut = false;
  private responseCut = false;
  private firstByteMs: number | undefined;
  /** Bytes that passed, and how many of them the spool has. */
  private passedBytes = 0;
  private writtenBytes = 0;

  constructor(options: RecorderOptions, open: ExchangeOpen, recorded: boolean) {
    this.options = options;
    this.recorded = recorded;
    this.inSpool = recorded;
    this.stream = options.writer.newStream();
    this.keepRequest = open.tags.requestBody ?? 'kept';
    this.keepResponse = open.tags.responseBody ?? 'kept';
    if (!recorded) {
      this.opened = true;
      return;
    }
    options.writer.append(this.stream, frameKinds.open, JSON.stringify(open));
    options.writer.whenWritten((written) => {
      this.opened = true;
      this.note(written);
    });
  }

  /** True once the spool knows this exchange: from then on its identifier may be told. */
  isOpened(): boolean {
    return this.opened;
  }

  /** True while much waits for the spool: whoever feeds this recorder pauses until {@link whenWritten}. */
  isBehind(): boolean {
    return this.recorded && !this.ended && this.passedBytes - this.writtenBytes > mostUnwrittenBytes;
  }

  requestPart(chunk: Uint8Array): void {
    const room = this.options.bodyMaxBytes - this.requestBytes;
    this.requestBytes += chunk.length;
    if (chunk.length > room) this.requestCut = true;
    this.keep(frameKinds.requestPart, this.keepRequest, chunk.length > room ? chunk.subarray(0, Math.max(0, room)) : chunk);
  }

  responseHead(status: number, headers: Readonly<Record<string, string>>): void {
    if (!this.recorded || this.ended) return;
    const head: ExchangeResponseHead = { status, headers, elapsedMs: Math.round(this.elapsedMs()), ...this.facts };
    this.options.writer.append(this.stream, frameKinds.responseHead, JSON.stringify(head));
    this.options.writer.whenWritten(this.note);
  }

  responsePart(chunk: Uint8Array): void {
    this.firstByteMs ??= Math.round(this.elapsedMs());
    const room = this.options.bodyMaxBytes - this.responseBytes;
    this.responseBytes += chunk.length;
    if (chunk.length > room) this.responseCut = true;
    this.keep(frameKinds.responsePart, this.keepResponse, chunk.length > room ? chunk.subarray(0, Math.max(0, room)) : chunk);
  }

  /** Calls back when all that passed so far is in the spool. */
  whenWritten(settled: Settled): void {
    if (!this.recorded) {
      settled(false);
      return;
    }
    const passedBytes = this.passedBytes;
    this.options.writer.whenWritten((written) => {
      this.note(written);
      this.writtenBytes = passedBytes;
      settled(written);
    });
  }

  /** Tells what the head, if it comes later, and the end will say beside their own; what is told later of the same thing holds. */
  tell(facts: EndFacts): void {
    this.facts = { ...this.facts, ...facts };
  }

  /** As {@link tell}, asked only when the exchange ends. */
  tellAtEnd(facts: (outcome: ExchangeOutcome) => EndFacts): void {
    this.factsAtEnd = facts;
  }

  /** Ends the exchange, once; calls back when its record is in the spool. A second end changes nothing and only waits. */
  end(outcome: ExchangeOutcome, overheadMs: number, settled: Settled): void {
    if (!this.ended && this.inSpool) {
      const lossy = !this.recorded;
      const end: ExchangeEnd = {
        outcome,
        elapsedMs: Math.round(this.elapsedMs()),
        ...(this.firstByteMs === undefined ? {} : { firstByteMs: this.firstByteMs }),
        overheadMs: Math.round(overheadMs * 1000) / 1000,
        requestBytes: this.requestBytes,
        responseBytes: this.responseBytes,
        ...(this.requestCut || lossy ? { requestCut: true } : {}),
        ...(this.responseCut || lossy ? { responseCut: true } : {}),
        ...this.facts,
        ...this.factsAtEnd?.(outcome),
      };
      this.options.writer.append(this.stream, frameKinds.end, JSON.stringify(end));
    }
    this.ended = true;
    this.whenWritten(settled);
  }

  private keep(kind: number, keeping: BodyKeeping, chunk: Uint8Array): void {
    this.passedBytes += chunk.length;
    if (!this.recorded || this.ended || keeping === 'never' || chunk.length === 0) return;
    this.options.writer.append(this.stream, kind, chunk, Math.min(2 ** 32 - 1, Math.round(this.elapsedMs())));
    this.options.writer.whenWritten(this.note);
  }

  /** A part that could not be written makes the record unsure for good. */
  private readonly note = (written: boolean): void => {
    this.recorded &&= written;
  };

  private elapsedMs(): number {
    return this.options.monotonic() - this.options.startedAt;
  }
}
