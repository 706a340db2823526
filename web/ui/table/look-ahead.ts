import type { Range } from '@tanstack/react-virtual';

/** Rows that exist on either side of those in view. */
const aroundRows = 20;
const mostRowsAhead = 300;
/** What a steady scroll passes in so long exists before it is in view: a frame of a busy machine may take half of it. */
const aheadMs = 250;

interface Move {
  readonly start: number;
  readonly at: number;
  /** Rows a millisecond; negative: up. */
  readonly rate: number;
  readonly steadyRate: number;
}

/**
 * Which rows of a long list exist: those in view, some around them and, in the direction of a scroll, as many more as it is fast. Keeps the
 * last move, so every list has its own.
 */
export function makeLookAhead(now: () => number = () => performance.now()): (range: Range) => number[] {
  let last: Move = { start: 0, at: now(), rate: 0, steadyRate: 0 };
  return ({ startIndex, endIndex, count }) => {
    // Rows that were added are no move.
    if (startIndex !== last.start) last = moved(last, startIndex, now());
    const ahead = Math.min(mostRowsAhead, Math.ceil(Math.abs(last.steadyRate) * aheadMs));
    const first = Math.max(0, startIndex - aroundRows - (last.steadyRate < 0 ? ahead : 0));
    const end = Math.min(count, endIndex + 1 + aroundRows + (last.steadyRate > 0 ? ahead : 0));
    return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
  };
}

/** One move alone may be a jump, behind which nothing is known: a scroll is two in the same direction. */
function moved(before: Move, start: number, at: number): Move {
  const rate = (start - before.start) / Math.max(1, at - before.at);
  const isScroll = rate * before.rate > 0;
  const steadyRate = isScroll ? Math.sign(rate) * Math.min(Math.abs(rate), Math.abs(before.rate)) : 0;
  return { start, at, rate, steadyRate };
}
