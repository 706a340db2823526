import { allOf, condition, type FilterNode } from '../../src/query/filter/ast.ts';
import { type BucketInterval, bucketStart } from './buckets.ts';
import { timeZone } from './zone.ts';

interface Relative {
  readonly label: string;
  /** Milliseconds, or the day or month that runs now. */
  readonly length: number | BucketInterval;
}

const hour = 3_600_000;
const day = 24 * hour;

const ranges = {
  '15m': { label: 'Last 15 minutes', length: hour / 4 },
  '1h': { label: 'Last hour', length: hour },
  '6h': { label: 'Last 6 hours', length: 6 * hour },
  today: { label: 'Today', length: 'day' },
  '24h': { label: 'Last 24 hours', length: day },
  '7d': { label: 'Last 7 days', length: 7 * day },
  month: { label: 'This month', length: 'month' },
  '30d': { label: 'Last 30 days', length: 30 * day },
  '90d': { label: 'Last 90 days', length: 90 * day },
  all: { label: 'All time', length: Infinity },
} as const satisfies Readonly<Record<string, Relative>>;

export type RelativeRange = keyof typeof ranges;

/** Ranges that end now, as they stand in the address. */
export const relativeRanges: Readonly<Record<RelativeRange, Relative>> = ranges;

/** A range in the address: `range`, or `from` and `to` in Unix milliseconds. */
export interface RangeSearch {
  readonly range?: RelativeRange | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Unix milliseconds, the end exclusive; undefined: no bound. */
export interface TimeRange {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export const standardRange: RelativeRange = '24h';

/** @param now Unix milliseconds. @param zone of which a day or a month is meant. */
export function timeRangeOf({ range, from, to }: RangeSearch, now: number, zone = timeZone()): TimeRange {
  if (range === undefined && (from !== undefined || to !== undefined)) return { from, to };
  const { length } = relativeRanges[range ?? standardRange];
  if (typeof length === 'string') return { from: bucketStart(now, length, zone), to: undefined };
  return { from: Number.isFinite(length) ? now - length : undefined, to: undefined };
}

/** The range of an address; what cannot be read is left out. */
export function rangeSearchOf(search: Readonly<Record<string, unknown>>): RangeSearch {
  const { range, from, to } = search;
  const isRange = typeof range === 'string' && Object.hasOwn(relativeRanges, range);
  return {
    ...(isRange ? { range: range as RelativeRange } : {}),
    ...(isTime(from) ? { from } : {}),
    ...(isTime(to) ? { to } : {}),
  };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
}

/** The filter of a range. */
export function arrivedIn({ from, to }: TimeRange): FilterNode {
  return allOf([...(from === undefined ? [] : [arrived('gte', from)]), ...(to === undefined ? [] : [arrived('lt', to)])]);
}

function arrived(operator: 'gte' | 'lt', value: number): FilterNode {
  return condition({ group: 'request_response_rmt', field: 'request_created_at' }, { family: 'timestamp', operator, value });
}
