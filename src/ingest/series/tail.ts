import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { GatelogError, messageOf } from '../../model/errors.ts';
import { frameKinds } from '../../model/record/exchange.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import { isSystemError } from '../../platform/files.ts';
import { bytesBefore, compactSegments } from '../../spool/compact.ts';
import { frameHeaderBytes } from '../../spool/frame.ts';
import { deleteSegmentsBefore, deleteSeries, SeriesReader } from '../../spool/reader.ts';
import { listSegments } from '../../spool/segment.ts';
import { comparePositions, type FrameLocation, type Position, segmentName } from '../../spool/spool.ts';
import { readOpen } from '../interpret/assemble.ts';
import { sessionIdOf } from '../interpret/properties.ts';
import { type ExchangeNames, type ExchangeIndex, TrackedExchange, type Settlement } from './exchange.ts';
import { isPart, SplitOpenings } from './openings.ts';

export interface SeriesTailOptions {
  readonly spoolFolder: string;
  readonly series: string;
  /** Everything that ends before this position is in the store. */
  readonly accepted: Position;
  /** Everything that ends up to here was on its way when the last ingest died: the store may have it already, so no update goes into it. */
  readonly sealedTo: Position | undefined;
  readonly inFlight: ExchangeIndex;
  readonly observe: Observe;
}

/** So many segments, of which nothing but frames of open exchanges is needed, are kept as they are. */
const maxHeldSegments = 8;
/** No more than this is carried at once, and only where at least so many times its bytes can be deleted then. */
const maxCursorBytes = 256 * 1024 * 1024;
const minGain = 2;
/** What an exchange takes in memory, in frames of some hundred bytes. */
const framesOfExchange = 8;
/** Ends of exchanges that no `end` frame closed lie behind every real position, in the order of their streams. */
const abandonedSegment = 2 ** 40;

/** Of an exchange whose `open` frame cannot be read: nobody can ask for it, and it ends among the dead letters. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** Follows one series and knows, of every exchange in it, where its frames are and whether it has ended. */
export class SeriesTail {
  readonly series: string;
  readonly folder: string;
  private readonly options: SeriesTailOptions;
  private readonly reader: SeriesReader;
  private readonly open = new Map<number, TrackedExchange>();
  private readonly openings = new SplitOpenings();
  /** Ended and not yet accepted, in the order of their ends. */
  private readonly ended: TrackedExchange[] = [];
  /** Until reading has come here, what is open may be in the store already: its end is still to be read. */
  private replayedTo: Position | undefined;
  private frameCount = 0;
  private closed = false;
  /** Segments below this one are on the disk and can grow no more. */
  private syncFrom = 0;
  /** What was accepted when it was last considered to carry frames: its segment. */
  private carriedBelow = 0;

  constructor(options: SeriesTailOptions) {
    this.options = options;
    this.series = options.series;
    this.folder = path.join(options.spoolFolder, options.series);
    this.replayedTo = options.sealedTo ?? options.accepted;
    this.reader = new SeriesReader(this.folder, {
      onFrame: (frame, payload) => this.takeFrame(frame, payload),
      onDamage: ({ segment, offset, reason }) =>
        options.observe({ kind: 'spool_segment_damaged', segment: `${options.series}/${segment}`, offset, reason }),
    });
  }

  /** Reads what is new. @returns bytes read. */
  read(maxBytes: number): number {
    const bytes = this.reader.read(maxBytes);
    if (!this.closed && this.reader.isEnded()) this.closeAbandoned();
    this.clearUp();
    return bytes;
  }

  /** Looks whether the worker that writes this series is still there; its death ends what is open. */
  checkWriter(): void {
    if (!this.closed) this.reader.noticeWriterGone();
  }

  /** Exchanges that have ended and wait for the store, in the order of their ends. */
  waiting(): readonly TrackedExchange[] {
    return this.ended;
  }

  /** Frames of which this knows where they are, of open exchanges and of those that wait; an exchange itself counts as several more. */
  knownFrames(): number {
    return this.frameCount + (this.open.size + this.ended.length) * framesOfExchange;
  }

  /**
   * Whether what is read ahead of the store is enough: so many exchanges wait, or so many frames are known while any does. What is open may need what is
   * still to be read, so that it ends.
   */
  hasEnough(rows: number, frames: number): boolean {
    const { length } = this.ended;
    return length >= rows || (length > 0 && this.knownFrames() >= frames);
  }

  /** True once all that ends before `position` has been read. */
  hasReadTo(position: Position): boolean {
    return this.closed || comparePositions(this.reader.position(), position) >= 0;
  }

  /** True while what was read again after a restart does not reach to where the last ingest stood. */
  isReplaying(): boolean {
    return this.replayedTo !== undefined;
  }

  /** True when nothing of the series is left to store. */
  isFinished(): boolean {
    return this.closed && this.ended.length === 0;
  }

  /** The first `count` waiting exchanges have left the spool. */
  settle(count: number, settlementOf: (exchange: TrackedExchange) => Settlement): void {
    for (const exchange of this.ended.splice(0, count)) {
      this.options.inFlight.remove(exchange);
      this.frameCount -= exchange.frames.length;
      exchange.settle(settlementOf(exchange));
    }
  }

  /** Deletes the segments that nobody needs any more. */
  deleteSettled(): void {
    deleteSegmentsBefore(this.folder, this.firstNeeded());
  }

  /**
   * Lets go of the segments below what is accepted that exchanges hold which do not end: their frames are carried, for they are few beside what else
   * is there. Else one call that stays open would fill the spool with what others have left behind.
   * To be called while no batch is on its way. @param accepted everything that ends before this position is in the store.
   */
  async compactOpen({ segment: below }: Position): Promise<void> {
    if (this.closed || this.isReplaying() || below <= this.carriedBelow) return;
    const first = this.firstNeeded();
    if (below - 1 - first < maxHeldSegments) return;
    this.carriedBelow = below;
    // The newest segments may hold much of calls that will end soon. Below an earlier border stand those alone that last.
    for (let border = below; border - 1 - first >= maxHeldSegments; border = first + Math.floor((border - first) / 2)) {
      if (await this.carryBelow(border)) return;
    }
  }

  /** @returns false, and nothing has changed, where what would be carried is too much, or too much beside what would go. */
  private async carryBelow(border: number): Promise<boolean> {
    const { folder } = this;
    const held = [...this.open.values(), ...this.ended].flatMap(({ frames }) => {
      const end = frames.findIndex(({ segment }) => segment >= border);
      const count = end === -1 ? frames.length : end;
      return count === 0 ? [] : [{ frames, count }];
    });
    const frames = held.flatMap((exchange) => exchange.frames.slice(0, exchange.count));
    const bytes = frames.reduce((sum, { length }) => sum + frameHeaderBytes + length, 0);
    if (bytes > maxCursorBytes || bytes * minGain > (await bytesBefore(folder, border))) return false;
    const carried = (places: readonly FrameLocation[]): void => {
      let taken = 0;
      for (const exchange of held) {
        for (let index = 0; index < exchange.count; index += 1, taken += 1) {
          const place = places[taken];
          if (place !== undefined) exchange.frames[index] = place;
        }
      }
    };
    await compactSegments({ seriesFolder: folder, segment: border - 1, frames, carried });
    this.deleteSettled();
    return true;
  }

  private firstNeeded(): number {
    let needed = this.reader.position().segment;
    for (const exchanges of [this.open.values(), this.ended]) {
      for (const { frames } of exchanges) needed = Math.min(needed, frames[0]?.segment ?? needed);
    }
    return needed;
  }

  /**
   * Brings what was read so far to the disk, with the names of its files. Else a power loss could take the end of an exchange that the store has, and
   * what is left of it would count as broken off and be stored a second time.
   */
  async syncRead(): Promise<void> {
    const last = this.reader.position().segment;
    for (const segment of listSegments(this.folder).filter((number) => number >= this.syncFrom && number <= last)) {
      await withHandle(path.join(this.folder, segmentName(segment)), (file) => file.datasync());
    }
    // A name that the writer has not synced yet may go with all that was synced under it.
    if (last > this.syncFrom) await withHandle(this.folder, (folder) => folder.sync());
    this.syncFrom = last;
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
    const known = this.open.get(frame.stream);
    const exchange = known ?? (opens(frame.kind) ? this.openExchange(frame, payload) : undefined);
    if (known !== undefined && this.openings.size > 0) this.name(known, this.openings.goOn(frame, payload));
    // Without its `open` frame it was accepted before a restart, or the frame is damaged, which the reader has reported.
    if (exchange === undefined) return;
    exchange.frames.push(frame);
    this.frameCount += 1;
    exchange.bytes += frame.length;
    const { kind, segment, offset, length } = frame;
    if (ends(kind) && !isPart(frame)) this.endExchange(exchange, { segment, offset: offset + frameHeaderBytes + length });
  }

  private openExchange(frame: FrameLocation, payload: Buffer): TrackedExchange {
    const isWhole = !isPart(frame);
    const named = isWhole ? namesOf(payload) : undefined;
    const exchange = new TrackedExchange({ series: this.series, stream: frame.stream, ...(named ?? unnamed) });
    if (this.replayedTo !== undefined) exchange.state = 'replaying';
    this.open.set(frame.stream, exchange);
    if (named !== undefined) this.options.inFlight.add(exchange);
    if (!isWhole) this.openings.begin(frame, payload);
    return exchange;
  }

  /** @param opening all of it; undefined where it has been read already or is not all here. */
  private name(exchange: TrackedExchange, opening: Buffer | undefined): void {
    const named = opening === undefined ? undefined : namesOf(opening);
    if (named === undefined) return;
    exchange.rename(named);
    this.options.inFlight.add(exchange);
  }

  private endExchange(exchange: TrackedExchange, endsAt: Position): void {
    this.open.delete(exchange.stream);
    this.openings.forget(exchange.stream);
    exchange.endsAt = endsAt;
    const { accepted, sealedTo, inFlight } = this.options;
    if (comparePositions(endsAt, accepted) <= 0) {
      inFlight.remove(exchange);
      this.frameCount -= exchange.frames.length;
      exchange.settle('stored');
      return;
    }
    exchange.state = sealedTo !== undefined && comparePositions(endsAt, sealedTo) <= 0 ? 'sealed' : 'pending';
    this.ended.push(exchange);
  }

  /** Where the last ingest stood is behind us: what is still open is surely not in the store. */
  private clearUp(): void {
    if (this.replayedTo === undefined || !this.hasReadTo(this.replayedTo)) return;
    this.replayedTo = undefined;
    for (const exchange of this.open.values()) exchange.state = 'pending';
  }

  /** The worker is dead and everything was read: what is still open has been broken off. */
  private closeAbandoned(): void {
    this.closed = true;
    const left = [...this.open.values()].toSorted((first, second) => first.stream - second.stream);
    for (const exchange of left) this.endExchange(exchange, { segment: abandonedSegment, offset: exchange.stream });
    this.options.observe({ kind: 'spool_series_finished', series: this.series, abandoned: left.length });
  }
}

const unnamed: ExchangeNames = {
  organizationId: nobody as OrganizationId,
  requestId: nobody as RequestId,
  openedAt: 0,
  sessionId: '',
  userId: '',
};

function opens(kind: number): boolean {
  return kind === frameKinds.open || kind === frameKinds.opened;
}

function ends(kind: number): boolean {
  return kind === frameKinds.end || kind === frameKinds.answered;
}

function namesOf(payload: Buffer): ExchangeNames | undefined {
  try {
    const { organizationId, requestId, openedAt, tags } = readOpen(payload);
    return { organizationId, requestId, openedAt, sessionId: sessionIdOf(tags), userId: tags.userId ?? '' };
  } catch {
    return undefined;
  }
}

/** What is gone needs nothing. */
async function withHandle(file: string, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  try {
    const handle = await open(file, 'r');
    try {
      await work(handle);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!(isSystemError(error) && error.code === 'ENOENT')) throw error;
  }
}

/** @throws GatelogError `store_unavailable` when so many frames are known that no more may be, as the store has not taken them for long. */
export function demandRoomForMore(tails: ReadonlyMap<string, SeriesTail>, most: number): void {
  let known = 0;
  for (const tail of tails.values()) known += tail.knownFrames();
  if (known < most) return;
  throw new GatelogError('store_unavailable', 'Too many records wait for the store. Try again when it has taken some.');
}

/** Lets each series carry what it may, see {@link SeriesTail.compactOpen}. What is not carried now keeps its room, and nothing else waits for it. */
export async function carryAll(
  tails: ReadonlyMap<string, SeriesTail>,
  acceptedOf: (series: string) => Position,
  observe: Observe,
): Promise<void> {
  for (const [series, tail] of tails) {
    try {
      await tail.compactOpen(acceptedOf(series));
    } catch (error) {
      observe({ kind: 'job_failed', job: 'carrying frames of calls that stay open', reason: messageOf(error) });
    }
  }
}
