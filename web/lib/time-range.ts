import { allOf, condition, type FilterNode } from '../../src/query/filter/ast.ts';

/** Length of a range that ends now, as it stands in the address. */
export const relativeRanges = {
  '15m': { label: 'Last 15 minutes', ms: 15 * 60_000 },
  '1h': { label: 'Last hour', ms: 3_600_000 },
  '6h': { label: 'Last 6 hours', ms: 6 * 3_600_000 },
  '24h': { label: 'Last 24 hours', ms: 24 * 3_600_000 },
  '7d': { label: 'Last 7 days', ms: 7 * 86_400_000 },
  '30d': { label: 'Last 30 days', ms: 30 * 86_400_000 },
  '90d': { label: 'Last 90 days', ms: 90 * 86_400_000 },
  all: { label: 'All time', ms: Infinity },
} as const;

export type RelativeRange = keyof typeof relativeRanges;

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

/** @param now Unix milliseconds. */
export function timeRangeOf({ range, from, to }: RangeSearch, now: number): TimeRange {
  if (range === undefined && (from !== undefined || to !== undefined)) return { from, to };
  const { ms } = relativeRanges[range ?? standardRange];
  return { from: Number.isFinite(ms) ? now - ms : undefined, to: undefined };
}

/** The range of an address; what cannot be read is left out. */
export function rangeSearchOf(search: Readonly<Record<string, unknown>>): RangeSearch {
  const { range, from, to } = search;
  const isRange = typeof range === 'string' && Object.hasOwn(relativeRanges, range);
  return {
    ...(isRange ? { range: range as RelativeRange } : {}),
    ...(typeof from === 'number' && Number.isFinite(from) ? { from } : {}),
    ...(typeof to === 'number' && Number.isFinite(to) ? { to } : {}),
  };
}

/** The filter of a range. */
export function arrivedIn({ from, to }: TimeRange): FilterNode {
  return allOf([...(from === undefined ? [] : [arrived('gte', from)]), ...(to === undefined ? [] : [arrived('lt', to)])]);
}

function arrived(operator: 'gte' | 'lt', value: number): FilterNode {
  return condition({ group: 'request_response_rmt', field: 'request_created_at' }, { family: 'timestamp', operator, value });
}
