import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { GatelogError, messageOf } from '../../model/errors.ts';
import { frameKinds } from '../../model/record/exchange.ts';
import { logMetadataOf } from '../../model/record/log-metadata.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import { isMissing } from '../../platform/files.ts';
import { bytesBefore, compactSegments } from '../../spool/compact.ts';
import { frameHeaderBytes } from '../../spool/frame.ts';
import { deleteSegmentsBefore, deleteSeries, SeriesReader } from '../../spool/reader.ts';
import { listSegments } from '../../spool/segment.ts';
import { comparePositions, type FrameLocation, type Position, segmentName } from '../../spool/spool.ts';
import { readOpen } from '../interpret/assemble.ts';
import { sessionIdOf } from '../interpret/properties.ts';
import { type ExchangeNames, type ExchangeIndex, spanNameOf, TrackedExchange, type Settlement } from './exchange.ts';
import { isPart, SplitOpenings } from './openings.ts';

export interface SeriesTailOptions {
  readonly spoolFolder: string;
  readonly series: string;
  /** Everything that ends before this position is in the store. */
  readonly accepted: Position;
  /** Everything that ends up to here was being stored when the last ingest died: the store may have it, so no change goes into it. */
  readonly frozenTo: Position | undefined;
  readonly inFlight: ExchangeIndex;
  readonly observe: Observe;
}

/** Max segments kept only for frames of open exchanges. */
const maxHeldSegments = 8;
/** A compaction copies at most this much, and only where it frees at least `minGain` times as many bytes. */
const maxCompactedBytes = 256 * 1024 * 1024;
const minGain = 2;
/** The memory of an exchange in units of a frame, about 100 bytes. */
const framesOfExchange = 8;
/** Exchanges without an `end` frame end after every real position, in the order of their streams. */
const abandonedSegment = 2 ** 40;

/** Identifies an exchange with an unreadable `open` frame, which becomes a dead letter. */
const nilUuid = '00000000-0000-0000-0000-000000000000';

/** Follows one series and tracks the frames and the end of every exchange in it. */
export class SeriesTail {
  readonly series: string;
  readonly folder: string;
  private readonly options: SeriesTailOptions;
  private readonly reader: SeriesReader;
  private readonly open = new Map<number, TrackedExchange>();
  private readonly openings = new SplitOpenings();
  /** In the order of their ends. */
  private readonly ended: TrackedExchange[] = [];
  /** Until reading has reached this position, an open exchange may be in the store already. */
  private replayedTo: Position | undefined;
  private frameCount = 0;
  private closed = false;
  /** Segments below this one are synced and can no longer grow. */
  private syncFrom = 0;
  /** The accepted segment at the last check for compaction. */
  private compactedBelow = 0;

  constructor(options: SeriesTailOptions) {
    this.options = options;
    this.series = options.series;
    this.folder = path.join(options.spoolFolder, options.series);
    this.replayedTo = options.frozenTo ?? options.accepted;
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
    this.finishReplay();
    return bytes;
  }

  /** Checks whether the worker that writes this series is alive; its death ends open exchanges. */
  checkWriter(): void {
    if (!this.closed) this.reader.checkWriterGone();
  }

  /** Exchanges that have ended and wait for the store, in the order of their ends. */
  waiting(): readonly TrackedExchange[] {
    return this.ended;
  }

  /** Frames in memory, of open and waiting exchanges; an exchange itself counts as several more. */
  knownFrames(): number {
    return this.frameCount + (this.open.size + this.ended.length) * framesOfExchange;
  }

  /**
   * Whether enough is read ahead of the store: `rows` exchanges wait, or `frames` frames are known while any waits. Without a waiting
   * exchange reading continues, because an open exchange may need it to end.
   */
  hasEnough(rows: number, frames: number): boolean {
    const { length } = this.ended;
    return length >= rows || (length > 0 && this.knownFrames() >= frames);
  }

  /** True once all that ends before `position` has been read. */
  hasReadTo(position: Position): boolean {
    return this.closed || comparePositions(this.reader.position(), position) >= 0;
  }

  /** True after a restart until reading has reached the position of the last ingest. */
  isReplaying(): boolean {
    return this.replayedTo !== undefined;
  }

  /** True when nothing of the series is left to store. */
  isFinished(): boolean {
    return this.closed && this.ended.length === 0;
  }

  /** Removes the first `count` waiting exchanges, which have left the spool. */
  settle(count: number, settlementOf: (exchange: TrackedExchange) => Settlement): void {
    for (const exchange of this.ended.splice(0, count)) {
      this.options.inFlight.remove(exchange);
      this.frameCount -= exchange.frames.length;
      exchange.settle(settlementOf(exchange));
    }
  }

  deleteSettled(): void {
    deleteSegmentsBefore(this.folder, this.firstNeeded());
  }

  /**
   * Compacts segments below the accepted position that only open exchanges still need. Otherwise one call that stays open would fill the
   * spool with the frames of others. Do not call it during a batch.
   * @param accepted everything that ends before this position is in the store.
   */
  async compactOpen({ segment: below }: Position): Promise<void> {
    if (this.closed || this.isReplaying() || below <= this.compactedBelow) return;
    const first = this.firstNeeded();
    if (below - 1 - first < maxHeldSegments) return;
    this.compactedBelow = below;
    // The newest segments may hold many bytes of calls that end soon; lower borders leave those out.
    for (let border = below; border - 1 - first >= maxHeldSegments; border = first + Math.floor((border - first) / 2)) {
      if (await this.compactBelow(border)) return;
    }
  }

  /** @returns false, with nothing changed, where the copy would be too large, or free too little. */
  private async compactBelow(border: number): Promise<boolean> {
    const { folder } = this;
    const held = [...this.open.values(), ...this.ended].flatMap(({ frames }) => {
      const end = frames.findIndex(({ segment }) => segment >= border);
      const count = end === -1 ? frames.length : end;
      return count === 0 ? [] : [{ frames, count }];
    });
    const frames = held.flatMap((exchange) => exchange.frames.slice(0, exchange.count));
    const bytes = frames.reduce((sum, { length }) => sum + frameHeaderBytes + length, 0);
    if (bytes > maxCompactedBytes || bytes * minGain > (await bytesBefore(folder, border))) return false;
    const onCompacted = (locations: readonly FrameLocation[]): void => {
      let next = 0;
      for (const exchange of held) {
        for (let index = 0; index < exchange.count; index += 1, next += 1) {
          const location = locations[next];
          if (location !== undefined) exchange.frames[index] = location;
        }
      }
    };
    await compactSegments({ seriesFolder: folder, segment: border - 1, frames, onCompacted });
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
   * Syncs everything read so far, with the names of its files. Otherwise a power loss could take the end of an exchange that the store
   * has, and the rest of it would count as broken off and be stored a second time.
   */
  async syncRead(): Promise<void> {
    const last = this.reader.position().segment;
    for (const segment of listSegments(this.folder).filter((number) => number >= this.syncFrom && number <= last)) {
      await withHandle(path.join(this.folder, segmentName(segment)), (file) => file.datasync());
    }
    // A power loss may take a name that is not synced, with everything synced under it.
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
    const exchange = known ?? (isOpening(frame.kind) ? this.openExchange(frame, payload) : undefined);
    if (known !== undefined && this.openings.size > 0) this.nameExchange(known, this.openings.append(frame, payload));
    // Without its `open` frame it was accepted before a restart, or the frame is damaged, which the reader has reported.
    if (exchange === undefined) return;
    exchange.frames.push(frame);
    this.frameCount += 1;
    exchange.bytes += frame.length;
    const { kind, segment, offset, length } = frame;
    if (isEnding(kind) && !isPart(frame)) this.endExchange(exchange, { segment, offset: offset + frameHeaderBytes + length });
  }

  private openExchange(frame: FrameLocation, payload: Buffer): TrackedExchange {
    const isComplete = !isPart(frame);
    const named = isComplete ? namesOf(payload) : undefined;
    const exchange = new TrackedExchange({ series: this.series, stream: frame.stream, ...(named ?? unnamed) });
    if (this.replayedTo !== undefined) exchange.state = 'replaying';
    this.open.set(frame.stream, exchange);
    if (named !== undefined) this.options.inFlight.add(exchange);
    if (!isComplete) this.openings.begin(frame, payload);
    return exchange;
  }

  /** @param opening complete; undefined where it was read before or is incomplete. */
  private nameExchange(exchange: TrackedExchange, opening: Buffer | undefined): void {
    const named = opening === undefined ? undefined : namesOf(opening);
    if (named === undefined) return;
    exchange.rename(named);
    this.options.inFlight.add(exchange);
  }

  private endExchange(exchange: TrackedExchange, endsAt: Position): void {
    this.open.delete(exchange.stream);
    this.openings.remove(exchange.stream);
    exchange.endsAt = endsAt;
    const { accepted, frozenTo, inFlight } = this.options;
    if (comparePositions(endsAt, accepted) <= 0) {
      inFlight.remove(exchange);
      this.frameCount -= exchange.frames.length;
      exchange.settle('stored');
      return;
    }
    exchange.state = frozenTo !== undefined && comparePositions(endsAt, frozenTo) <= 0 ? 'frozen' : 'pending';
    this.ended.push(exchange);
  }

  /** Past the position of the last ingest, open exchanges are surely not in the store. */
  private finishReplay(): void {
    if (this.replayedTo === undefined || !this.hasReadTo(this.replayedTo)) return;
    this.replayedTo = undefined;
    for (const exchange of this.open.values()) exchange.state = 'pending';
  }

  /** The worker is dead and everything was read, so open exchanges have broken off. */
  private closeAbandoned(): void {
    this.closed = true;
    const abandoned = [...this.open.values()].toSorted((first, second) => first.stream - second.stream);
    for (const exchange of abandoned) this.endExchange(exchange, { segment: abandonedSegment, offset: exchange.stream });
    this.options.observe({ kind: 'spool_series_finished', series: this.series, abandoned: abandoned.length });
  }
}

const unnamed: ExchangeNames = {
  organizationId: nilUuid as OrganizationId,
  requestId: nilUuid as RequestId,
  openedAt: 0,
  sessionId: '',
  userId: '',
  spanName: '',
};

function isOpening(kind: number): boolean {
  return kind === frameKinds.open || kind === frameKinds.opened;
}

function isEnding(kind: number): boolean {
  return kind === frameKinds.end || kind === frameKinds.answered;
}

function namesOf(payload: Buffer): ExchangeNames | undefined {
  try {
    const opening = readOpen(payload);
    const { organizationId, requestId, openedAt, tags, trace } = opening;
    const logged = logMetadataOf(opening);
    const spanName = trace === undefined || logged !== undefined ? '' : spanNameOf(trace);
    return { organizationId, requestId, openedAt, sessionId: sessionIdOf(tags), userId: tags.userId ?? '', spanName, logged };
  } catch {
    return undefined;
  }
}

/** Does nothing for a missing file. */
async function withHandle(file: string, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  try {
    const handle = await open(file, 'r');
    try {
      await work(handle);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** @throws GatelogError `store_unavailable` when `most` frames are known, after a long outage of the store. */
export function assertBelowMaxFrames(tails: ReadonlyMap<string, SeriesTail>, maxFrames: number): void {
  let known = 0;
  for (const tail of tails.values()) known += tail.knownFrames();
  if (known < maxFrames) return;
  throw new GatelogError('store_unavailable', 'Too many records wait for the store. Try again when it has taken some.');
}

/** Compacts each series, see {@link SeriesTail.compactOpen}. A failure only leaves the space in use; nothing else waits for it. */
export async function compactAll(
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
