import { type Fragment, sql } from '../../sql/sql.ts';
import { dateTime64 } from '../../sql/time.ts';
import { conjuncts } from '../filter/ast.ts';
import { isArrivalBound, readsBodies } from '../filter/sql/compile.ts';
import { soughtId } from './lane.ts';
import type { RequestsPlan } from './query.ts';

/** A part of the time, Unix milliseconds; undefined: without a bound. */
export interface Span {
  /** Inclusive. */
  readonly from: number | undefined;
  /** Exclusive. */
  readonly to: number | undefined;
}

const firstMs = 6 * 3_600_000;
const maxMs = 30 * 24 * 3_600_000;

/** A search for the newest requests, span by span. */
export interface SpanSearch {
  readonly first: Span;
  /** @param found requests so far. @returns undefined when the search is over. */
  readonly next: (span: Span, found: number) => Span | undefined;
}

/**
 * The spans of time in which a page of the newest requests is looked for. A condition on bodies finds all that match before the first row is
 * known, so that a common word would be sought in the bodies of years for a page of today. A rare word is sought everywhere at once.
 *
 * @param now Unix milliseconds. @returns undefined when the page is read at once.
 */
export function spanSearchOf({ filter, sort, after, offset, limit }: RequestsPlan, now: number): SpanSearch | undefined {
  const isNewestFirst = sort !== 'random' && sort.every(({ key, direction }) => key === 'created_at' && direction === 'desc');
  if (!isNewestFirst || offset > 0 || !readsBodies(filter) || soughtId(filter) !== undefined) return undefined;
  const bounds = conjuncts(filter).filter(isArrivalBound);
  const oldest = Math.max(...bounds.flatMap(({ operator, value }) => (operator === 'gt' || operator === 'gte' ? [value] : [])));
  const ends = bounds.flatMap(({ operator, value }) => (operator === 'lt' || operator === 'lte' ? [value] : []));
  const newest = Math.min(now, ...ends, ...(after === undefined ? [] : [Number(after.arrival)]));
  const since = (ms: number): number | undefined =>
    newest - ms > Math.max(oldest, 0) && ms <= maxMs ? Math.floor(newest - ms) : undefined;
  return {
    first: { from: since(firstMs), to: undefined },
    next: ({ from }, found) => {
      if (from === undefined || found >= limit) return undefined;
      // As far back as the density so far asks for, and not in many small steps.
      const times = found === 0 ? Infinity : Math.max(4, (1.25 * limit) / found);
      return { from: since(times * (newest - from)), to: from };
    },
  };
}

/** The bounds of a span on a table with the time of arrival. */
export function within({ from, to }: Span): readonly Fragment[] {
  return [
    ...(from === undefined ? [] : [sql`created_at >= ${dateTime64(from)}`]),
    ...(to === undefined ? [] : [sql`created_at < ${dateTime64(to)}`]),
  ];
}
