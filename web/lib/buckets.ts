import { intervals } from '../../src/model/vocabulary/metrics.ts';
import type { TimeRange } from './time-range.ts';

export type BucketInterval = (typeof intervals)[number];

const minute = 60_000;
const hour = 3_600_000;
const day = 86_400_000;

/** Of a month, the longest. */
const lengths: Readonly<Record<BucketInterval, number>> = {
  minute,
  '5m': 5 * minute,
  '15m': 15 * minute,
  hour,
  '3h': 3 * hour,
  '6h': 6 * hour,
  day,
  week: 7 * day,
  month: 31 * day,
};

/** The shortest interval that draws a range with at most so many buckets; else months. @param length Milliseconds. */
export function intervalFor(length: number, most: number): BucketInterval {
  return intervals.find((interval) => length / lengths[interval] <= most) ?? 'month';
}

/** Of each zone, by the time. */
const offsets = new Map<string, Map<number, number>>();
/** All buckets of some ranges. */
const maxOffsets = 20_000;
/** No zone changes its clocks and changes them back within it. */
const steadyMs = 7 * day;

/** Milliseconds by which clocks of a zone are ahead of UTC at a time. */
function zoneOffset(time: number, zone: string): number {
  const start = Math.floor(time / steadyMs) * steadyMs;
  const before = exactOffset(start, zone);
  return exactOffset(start + steadyMs, zone) === before ? before : exactOffset(time, zone);
}

/** Some 20 µs each, and a range of years has thousands of buckets. */
function exactOffset(time: number, zone: string): number {
  const ofZone = offsets.get(zone) ?? new Map<number, number>();
  const known = ofZone.get(time);
  if (known !== undefined) return known;
  const found = findOffset(time, zone);
  if (ofZone.size >= maxOffsets) ofZone.clear();
  offsets.set(zone, ofZone.set(time, found));
  return found;
}

function findOffset(time: number, zone: string): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(time / 1000) * 1000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const two = '2-digit';
  const made = new Intl.DateTimeFormat('en-u-ca-iso8601', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
  });
  formats.set(zone, made);
  return made;
}

/** The start of the bucket that a time is in. Weeks begin on Monday. */
export function bucketStart(time: number, interval: BucketInterval, zone: string): number {
  const offset = zoneOffset(time, zone);
  const local = time + offset;
  const length = lengths[interval];
  if (length <= hour) return Math.floor(local / length) * length - offset;
  const midnight = Math.floor(local / day) * day;
  if (length < day) {
    const start = fromLocal(midnight, zone);
    return start + Math.floor((time - start) / length) * length;
  }
  const date = new Date(midnight);
  if (interval === 'week') return fromLocal(midnight - ((date.getUTCDay() + 6) % 7) * day, zone);
  return fromLocal(interval === 'month' ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) : midnight, zone);
}

/** A local time as a moment; a time that clocks skip is the moment at which they skip it. */
function fromLocal(local: number, zone: string): number {
  const guess = local - zoneOffset(local, zone);
  const found = local - zoneOffset(guess, zone);
  return found + zoneOffset(found, zone) === local ? found : Math.max(guess, found);
}

function nextBucket(start: number, interval: BucketInterval, zone: string): number {
  const usual = start + lengths[interval];
  if (interval === 'day' || interval === 'week') {
    const offset = zoneOffset(start, zone);
    // From a midnight to one whose clocks show the same. A day whose midnight was skipped begins later.
    if ((start + offset) % day === 0 && zoneOffset(usual, zone) === offset) return usual;
  }
  if (interval === 'day' || interval === 'week' || interval === 'month') {
    // Noon a day, a week or a month later lies in the next bucket, whatever clocks do at midnight.
    const days = { day: 1.5, week: 7.5, month: 32 }[interval];
    return bucketStart(start + days * day, interval, zone);
  }
  return bucketStart(usual, interval, zone);
}

/** Of one series. */
export const maxBuckets = 5000;

/** The starts of all buckets of a range, the one that its start is in included. */
export function bucketStarts(from: number, to: number, interval: BucketInterval, zone: string): readonly number[] {
  const starts: number[] = [];
  for (let start = bucketStart(from, interval, zone); start < to && starts.length < maxBuckets;) {
    starts.push(start);
    const next = nextBucket(start, interval, zone);
    start = next > start ? next : start + minute;
  }
  return starts;
}

/** A range with buckets, and the one of the same number of days or hours before it. */
export interface BucketedRange {
  /** The start of the first bucket, before the range itself begins. */
  readonly from: number;
  /** The start of the range: what its requests add up to begins here. */
  readonly start: number;
  readonly to: number;
  readonly interval: BucketInterval;
  readonly starts: readonly number[];
  /** The end of the last bucket. */
  readonly end: number;
  /** Index of the bucket that is not complete yet; undefined: all are. */
  readonly incompleteFrom: number | undefined;
  /** Nobody said where it starts. */
  readonly isOpen: boolean;
  readonly before: { readonly from: number; readonly start: number; readonly to: number; readonly starts: readonly number[] };
}

export interface BucketOptions {
  /** Unix milliseconds. */
  readonly now: number;
  /** Where a range without a start begins. */
  readonly oldest: number;
  /** How many there is room for. */
  readonly most: number;
}

export function bucketedRange(range: TimeRange, zone: string, { now, oldest, most }: BucketOptions): BucketedRange {
  const to = range.to ?? now;
  const start = Math.min(range.from ?? oldest, to - minute);
  const interval = range.from === undefined ? 'day' : intervalFor(to - start, most);
  const from = bucketStart(start, interval, zone);
  const starts = bucketStarts(from, to, interval, zone);
  const last = starts.at(-1) ?? from;
  const isIncomplete = to >= now && nextBucket(last, interval, zone) > now;
  const beforeFrom = shifted(from, from - to, interval, zone);
  // Of whole days or months, whole ones go before.
  const beforeStart = start === from ? beforeFrom : start - (to - start);
  return {
    from,
    start,
    to,
    interval,
    starts,
    end: nextBucket(last, interval, zone),
    incompleteFrom: isIncomplete ? starts.length - 1 : undefined,
    isOpen: range.from === undefined,
    before: { from: beforeFrom, start: beforeStart, to: from, starts: bucketStarts(beforeFrom, from, interval, zone) },
  };
}

/** What the figures of a range count, as an address says it: nothing that came since. */
export function countedRange({ isOpen, start, to }: BucketedRange): { readonly from?: number; readonly to: number } {
  return isOpen ? { to } : { from: start, to };
}

/** A bucket up to where its figures go; undefined: there is none. */
export function bucketAt(
  { starts, end, to: last }: BucketedRange,
  index: number,
): { readonly from: number; readonly to: number } | undefined {
  const { [index]: from, [index + 1]: to = end } = starts;
  return from === undefined ? undefined : { from, to: Math.min(to, last) };
}

const leastBuckets = 7;

/** A range without a start is drawn from its first bucket with figures. @param figures The buckets with figures, by their starts. */
export function sinceFirst(range: BucketedRange, ...figures: readonly (ReadonlyMap<number, unknown> | undefined)[]): BucketedRange {
  const { isOpen, starts, incompleteFrom, before } = range;
  const first = starts.findIndex((start) => figures.some((course) => course?.has(start)));
  if (!isOpen || first === -1) return range;
  const skipped = Math.max(0, Math.min(first, starts.length - leastBuckets));
  return {
    ...range,
    starts: starts.slice(skipped),
    incompleteFrom: incompleteFrom === undefined ? undefined : incompleteFrom - skipped,
    before: { ...before, starts: before.starts.slice(skipped) },
  };
}

/** As many whole buckets earlier as the range is long. */
function shifted(from: number, by: number, interval: BucketInterval, zone: string): number {
  return bucketStart(from + by + (lengths[interval] < day ? 0 : day / 2), interval, zone);
}
