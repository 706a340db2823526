import path from 'node:path';
import { messageOf } from '../model/errors.ts';
import { frameKinds } from '../model/exchange.ts';
import type { Observe } from '../model/observation.ts';
import { frameHeaderBytes } from '../spool/frame.ts';
import { deleteSegmentsBefore, deleteSeries, SeriesReader } from '../spool/reader.ts';
import { comparePositions, type FrameLocation, type Position } from '../spool/spool.ts';
import { readOpen } from './assemble.ts';
import { type InFlight, makeOpenExchange, type OpenExchange } from './open-exchange.ts';

export interface SeriesTailOptions {
  readonly spoolFolder: string;
  readonly series: string;
  /** Everything that ends before this position is in the store. */
  readonly accepted: Position;
  /** Everything that ends up to here was on its way when the last ingest died: the store may have it already, so no update goes into it. */
  readonly sealedTo: Position | undefined;
  readonly inFlight: InFlight;
  readonly observe: Observe;
}

/** Ends of exchanges that no `end` frame closed lie behind every real position, in the order of their streams. */
const abandonedSegment = 2 ** 40;

/** Follows one series and knows, of every exchange in it, where its frames are and whether it has ended. */
export class SeriesTail {
  readonly series: string;
  readonly folder: string;
  private readonly options: SeriesTailOptions;
  private readonly reader: SeriesReader;
  private readonly open = new Map<number, OpenExchange>();
  /** Ended and not yet accepted, in the order of their ends. */
  private readonly ended: OpenExchange[] = [];
  private closed = false;

  constructor(options: SeriesTailOptions) {
    this.options = options;
    this.series = options.series;
    this.folder = path.join(options.spoolFolder, options.series);
    this.reader = new SeriesReader(this.folder, {
      onFrame: (frame, payload) => this.takeFrame(frame, payload),
      onDamage: ({ segment, offset, reason }) => options.observe({ kind: 'spool_segment_damaged', segment: `${options.series}/${segment}`, offset, reason }),
    });
  }

  /** Reads what is new. @returns bytes read. */
  read(mostBytes: number): number {
    const bytes = this.reader.read(mostBytes);
    if (!this.closed && this.reader.isEnded()) this.closeAbandoned();
    return bytes;
  }

  /** Looks whether the worker that writes this series is still there; its death ends what is open. */
  checkWriter(): void {
    if (!this.closed) this.reader.noticeWriterGone();
  }

  /** Exchanges that have ended and wait for the store, in the order of their ends. */
  waiting(): readonly OpenExchange[] {
    return this.ended;
  }

  /** True once all that ends before `position` has been read. */
  hasReadTo(position: Position): boolean {
    return this.closed || comparePositions(this.reader.position(), position) >= 0;
  }

  /** True when nothing of the series is left to store. */
  isFinished(): boolean {
    return this.closed && this.ended.length === 0;
  }

  /** The first `count` waiting exchanges are in the store: forgets them and deletes the segments that nobody needs any more. */
  accept(count: number): void {
    this.ended.splice(0, count);
    let needed = this.reader.position().segment;
    for (const exchange of [...this.open.values(), ...this.ended]) needed = Math.min(needed, exchange.frames[0]?.segment ?? needed);
    deleteSegmentsBefore(this.folder, needed);
  }

  /** Deletes the series from the disk. */
  remove(): void {
    this.reader.close();
    deleteSeries(this.folder);
  }

  close(): void {
    this.reader.close();
  }

  private takeFrame(frame: FrameLocation, payload: Buffer): void {
    if (frame.kind === frameKinds.open) {
      this.openExchange(frame, payload);
      return;
    }
    const exchange = this.open.get(frame.stream);
    if (exchange === undefined) return;
    exchange.frames.push(frame);
    exchange.bytes += frame.length;
    if (frame.kind === frameKinds.end) this.endExchange(exchange, { segment: frame.segment, offset: frame.offset + frameHeaderBytes + frame.length });
  }

  private openExchange(frame: FrameLocation, payload: Buffer): void {
    try {
      const { organizationId, requestId, openedAt } = readOpen(payload);
      const exchange = makeOpenExchange({ series: this.series, stream: frame.stream, organizationId, requestId, openedAt });
      exchange.frames.push(frame);
      exchange.bytes = frame.length;
      this.open.set(frame.stream, exchange);
      this.options.inFlight.add(exchange);
    } catch (error) {
      const { segment, offset } = frame;
      this.options.observe({ kind: 'spool_segment_damaged', segment: `${this.series}/${segment}`, offset, reason: messageOf(error) });
    }
  }

  private endExchange(exchange: OpenExchange, endsAt: Position): void {
    this.open.delete(exchange.stream);
    exchange.endsAt = endsAt;
    const { accepted, sealedTo, inFlight } = this.options;
    if (comparePositions(endsAt, accepted) <= 0) {
      inFlight.remove(exchange);
      exchange.markStored();
      return;
    }
    if (sealedTo !== undefined && comparePositions(endsAt, sealedTo) <= 0) exchange.state = 'sealed';
    this.ended.push(exchange);
  }

  /** The worker is dead and everything was read: what is still open has been broken off. */
  private closeAbandoned(): void {
    this.closed = true;
    const left = [...this.open.values()].sort((first, second) => first.stream - second.stream);
    for (const exchange of left) this.endExchange(exchange, { segment: abandonedSegment, offset: exchange.stream });
    this.options.observe({ kind: 'spool_series_finished', series: this.series, abandoned: left.length });
  }
}
