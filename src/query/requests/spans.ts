import { type Fragment, sql } from '../../sql/sql.ts';
import { dateTime64 } from '../../sql/time.ts';
import { conjuncts } from '../filter/ast.ts';
import { isArrivalBound, readsBodies } from '../filter/sql/compile.ts';
import { soughtId } from '../lane.ts';
import type { RequestsPlan } from './query.ts';

/** A part of the time, Unix milliseconds; undefined: without a bound. */
export interface Span {
  /** Inclusive. */
  readonly from: number | undefined;
  /** Exclusive. */
  readonly to: number | undefined;
}

const hour = 3_600_000;
/** Distances from the newest request that may be on the page. */
const distances = [hour, 24 * hour, 30 * 24 * hour];

/**
 * The spans of time in which a page of the newest requests is looked for, one after the other until it is full. A condition on bodies finds
 * all that match before the first row is known, so that a common word would be sought in the bodies of years for a page of today.
 *
 * @param now Unix milliseconds. @returns undefined when the page is read at once.
 */
export function spansOf({ filter, sort, after, offset }: RequestsPlan, now: number): readonly Span[] | undefined {
  const isNewestFirst = sort !== 'random' && sort.every(({ key, direction }) => key === 'created_at' && direction === 'desc');
  if (!isNewestFirst || offset > 0 || !readsBodies(filter) || soughtId(filter) !== undefined) return undefined;
  const bounds = conjuncts(filter).filter(isArrivalBound);
  const from = Math.max(...bounds.flatMap(({ operator, value }) => (operator === 'gt' || operator === 'gte' ? [value] : [])));
  const to = bounds.flatMap(({ operator, value }) => (operator === 'lt' || operator === 'lte' ? [value] : []));
  const newest = Math.min(now, ...to, ...(after === undefined ? [] : [Number(after.arrival)]));
  const starts = distances.map((distance) => newest - distance).filter((start) => start > from);
  return [...starts, undefined].map((start, index) => ({ from: start, to: starts[index - 1] }));
}

/** The bounds of a span on a table with the time of arrival. */
export function within({ from, to }: Span): readonly Fragment[] {
  return [
    ...(from === undefined ? [] : [sql`created_at >= ${dateTime64(from)}`]),
    ...(to === undefined ? [] : [sql`created_at < ${dateTime64(to)}`]),
  ];
}
