import { createHash } from 'node:crypto';
import type { UsageCompletion } from '../../model/record/usage-completion.ts';
import type { BatchBounds } from '../../spool/checkpoint.ts';
import { isBusySeries } from '../../spool/busy-series.ts';
import { mayBeLate } from '../../spool/import-series.ts';
import { comparePositions, type Position } from '../../spool/spool.ts';
import type { TrackedExchange } from '../series/exchange.ts';
import type { ChangesByExchange } from '../changes/pending.ts';
import type { SeriesTail } from '../series/tail.ts';
import type { Failure } from './insert.ts';

export interface Batch {
  readonly bounds: BatchBounds;
  readonly exchanges: readonly TrackedExchange[];
  /** Number of waiting exchanges taken from each series. */
  readonly taken: readonly { readonly tail: SeriesTail; readonly count: number }[];
}

/** Its records have consecutive numbers in the order of storage. */
export interface NumberedBatch extends Batch {
  readonly bounds: BatchBounds & { readonly firstNumber: number };
}

/** A batch whose exchanges may leave the spool. */
export interface StoredBatch {
  readonly batch: Batch;
  readonly failures: ReadonlyMap<number, Failure>;
  readonly changes: ChangesByExchange;
  readonly erased: ReadonlyMap<TrackedExchange, number>;
  readonly repeated: ReadonlySet<TrackedExchange>;
  /** Usage that waits for the records of its calls. */
  readonly waiting: readonly UsageCompletion[];
  /** The greatest number of its records in the order of storage, or of earlier ones. */
  readonly lastNumber: number;
}

export interface FormedBatch extends Batch {
  readonly isFull: boolean;
}

export interface BatchLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

export const startOfSeries: Position = { segment: 0, offset: 0 };

/** Where a batch begins in each series. */
export interface BatchStart {
  /** The store has everything before these positions. */
  readonly accepted: Readonly<Record<string, Position>>;
  /** Taken by the batch that is being stored, when another is formed behind it. */
  readonly taken?: Batch['taken'];
}

/**
 * Takes as many waiting exchanges as the limits allow. Each batch starts with another series, so that a busy one does not starve the rest.
 * Series whose records may be of any time come last, with a few months at a time: each month makes parts of its own in the store, and a batch
 * of very many would hold up what others sent now. Every fourth batch keeps half of its room for them.
 * Of series of organisations that write much, every second batch has nothing while others wait, and half of its room otherwise: a record
 * of the others waits for half a batch of theirs at most, and then for one without any. They stand behind the others, so that they are what
 * is left for the next batch where a batch takes too long.
 * @returns undefined when none waits.
 */
export function formBatch(
  number: number,
  tails: readonly SeriesTail[],
  { accepted, taken: alreadyTaken = [] }: BatchStart,
  limits: BatchLimits,
): FormedBatch | undefined {
  const turn = rotated(tails, number);
  const late = turn.filter(({ series }) => mayBeLate(series));
  const busy = turn.filter(({ series }) => isBusySeries(series));
  const prompt = turn.filter(({ series }) => !mayBeLate(series) && !isBusySeries(series));
  const builder = new BatchBuilder(limits);
  const startOf = (tail: SeriesTail): number => alreadyTaken.find((entry) => entry.tail === tail)?.count ?? 0;
  // Invariant: a series is taken from once, because a repeated batch has its exchanges series by series.
  const isLateFirst = number % lateTurn === 0;
  if (isLateFirst) for (const tail of late) builder.take(tail, startOf(tail), half);
  const isShared = prompt.some((tail) => tail.waiting()[startOf(tail)]?.endsAt !== undefined);
  if (!isShared || number % busyTurn !== 0) for (const tail of busy) builder.take(tail, startOf(tail), isShared ? half : all);
  for (const tail of prompt) builder.take(tail, startOf(tail));
  if (!isLateFirst) for (const tail of late) builder.take(tail, startOf(tail));
  const { taken, exchanges, isFull } = builder.batch();
  if (exchanges.length === 0) return undefined;
  const bounds = taken.map(({ tail, to }) => [tail.series, { from: accepted[tail.series] ?? startOfSeries, to }] as const);
  const series = Object.fromEntries(bounds);
  return { bounds: { batch: number, series }, exchanges, taken, isFull: isFull || exchanges.length === limits.maxRows };
}

const lateTurn = 4;
const busyTurn = 2;
/** Shares of a batch. */
const [half, all] = [0.5, 1];
const maxLateMonths = 8;
const monthsOfYear = 12;

/** The beginning of what waits in a series. */
interface TakenOfSeries {
  readonly tail: SeriesTail;
  readonly exchanges: readonly TrackedExchange[];
  readonly to: Position;
}

function isBusy({ tail }: TakenOfSeries): boolean {
  return isBusySeries(tail.series);
}

/** Fills a batch. */
class BatchBuilder {
  private readonly limits: BatchLimits;
  private readonly ofSeries: TakenOfSeries[] = [];
  private readonly lateMonths = new Set<number>();
  private isFull = false;
  private rows = 0;
  private bytes = 0;

  constructor(limits: BatchLimits) {
    this.limits = limits;
  }

  /** @param start exchanges of the series that an earlier batch has. @param share of the batch, with what it has already. */
  take(tail: SeriesTail, start: number, share: number = all): void {
    const isLate = mayBeLate(tail.series);
    const exchanges: TrackedExchange[] = [];
    let to: Position | undefined;
    for (const exchange of tail.waiting().slice(start)) {
      if (exchange.endsAt === undefined) break;
      if (!this.fits(exchange, share)) {
        this.isFull ||= share === all;
        break;
      }
      if (isLate && !this.takesMonth(exchange)) break;
      exchanges.push(exchange);
      this.rows += 1;
      this.bytes += exchange.bytes;
      to = exchange.endsAt;
    }
    if (to !== undefined) this.ofSeries.push({ tail, exchanges, to });
  }

  batch() {
    const inOrder = [...this.ofSeries.filter((each) => !isBusy(each)), ...this.ofSeries.filter(isBusy)];
    return {
      taken: inOrder.map(({ tail, exchanges, to }) => ({ tail, count: exchanges.length, to })),
      exchanges: inOrder.flatMap(({ exchanges }) => exchanges),
      isFull: this.isFull,
    };
  }

  private fits({ bytes }: TrackedExchange, share: number): boolean {
    const { maxRows, maxBytes } = this.limits;
    return this.rows < maxRows * share && (this.rows === 0 || this.bytes + bytes <= maxBytes * share);
  }

  private takesMonth({ openedAt }: TrackedExchange): boolean {
    const opened = new Date(openedAt);
    const month = opened.getUTCFullYear() * monthsOfYear + opened.getUTCMonth();
    if (!this.lateMonths.has(month) && this.lateMonths.size >= maxLateMonths) return false;
    this.lateMonths.add(month);
    return true;
  }
}

/** Only a batch of one exchange may exceed the bytes of a batch: nothing is interpreted ahead beside such a one. */
const batchesInMemory = 2;

/**
 * The batch that very probably follows one which is being stored: full already, and from one series.
 * @param accepted as of {@link BatchStart}.
 */
export function surelyNext(
  { bounds, taken, exchanges }: Batch,
  tails: readonly SeriesTail[],
  accepted: BatchStart['accepted'],
  limits: BatchLimits,
): FormedBatch | undefined {
  const next = formBatch(bounds.batch + 1, tails, { accepted, taken }, limits);
  if (next?.isFull !== true || next.taken.length > 1) return undefined;
  return bytesOf(exchanges) + bytesOf(next.exchanges) > batchesInMemory * limits.maxBytes ? undefined : next;
}

/** The first exchanges of a batch that has not begun, as a batch of its own. @param count at least one. */
export function firstOf({ bounds, exchanges, taken }: Batch, count: number): Batch {
  let left = count;
  const kept = taken.flatMap(({ tail, count: of }) => {
    const own = Math.min(left, of);
    const to = exchanges[count - left + own - 1]?.endsAt;
    left -= own;
    return own === 0 || to === undefined ? [] : [{ tail, count: own, to }];
  });
  const series = Object.fromEntries(
    kept.map(({ tail, to }) => [tail.series, { from: bounds.series[tail.series]?.from ?? startOfSeries, to }]),
  );
  return { bounds: { ...bounds, series }, exchanges: exchanges.slice(0, count), taken: kept };
}

export function fillsBatch(tails: readonly SeriesTail[], { maxRows, maxBytes }: BatchLimits): boolean {
  const waiting = tails.flatMap((tail) => tail.waiting());
  return waiting.length >= maxRows || bytesOf(waiting) >= maxBytes;
}

export function bytesOf(exchanges: readonly TrackedExchange[]): number {
  return exchanges.reduce((sum, { bytes }) => sum + bytes, 0);
}

function rotated<T>(items: readonly T[], by: number): readonly T[] {
  const start = items.length === 0 ? 0 : by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/**
 * Forms a batch again from its bounds, after a crash.
 * @returns undefined until all of it has been read.
 */
export function repeatBatch(bounds: BatchBounds, tails: readonly SeriesTail[]): Batch | undefined {
  const taken: { tail: SeriesTail; count: number }[] = [];
  const exchanges: TrackedExchange[] = [];
  for (const [name, { to }] of Object.entries(bounds.series)) {
    const tail = tails.find(({ series }) => series === name);
    // A series is deleted only after the store has accepted all of it.
    if (tail === undefined) continue;
    if (!tail.hasReadTo(to)) return undefined;
    const members = tail.waiting().filter(({ endsAt }) => endsAt !== undefined && comparePositions(endsAt, to) <= 0);
    exchanges.push(...members);
    taken.push({ tail, count: members.length });
  }
  return { bounds, exchanges, taken };
}

/** The accepted positions once a batch is in the store. */
export function acceptedAfter(accepted: Readonly<Record<string, Position>>, batch: Batch): Record<string, Position> {
  const next = { ...accepted };
  for (const [series, { to }] of Object.entries(batch.bounds.series)) next[series] = to;
  return next;
}

/**
 * The deduplication token of a batch. It contains the bounds, not only the number: after the loss of a checkpoint numbers start again, and
 * the store would drop a new batch with the number of an old one.
 */
export function tokenOf(spoolId: string, { batch, series }: BatchBounds): string {
  const bounds = createHash('sha256').update(JSON.stringify(series)).digest('hex').slice(0, 16);
  return `${spoolId}-${batch}-${bounds}`;
}
