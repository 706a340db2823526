import type { Card } from './cards.ts';

/** A change below it is noise. */
const largeChange = 0.2;
/** With fewer requests in either period, a quantile and a rate tell nothing. */
const minRequests = 20;

export interface Compared {
  readonly now: number | null | undefined;
  readonly before: number | null | undefined;
  /** Requests of the two periods. */
  readonly requests: readonly [now: number, before: number];
}

type Mood = 'good' | 'bad' | 'neutral';

/** Colour is for what is good or bad, and large. */
export function moodOf({ now, before, requests }: Compared, better: Card['better']): Mood {
  if (better === undefined || typeof now !== 'number' || typeof before !== 'number') return 'neutral';
  if (Math.min(...requests) < minRequests) return 'neutral';
  const isLarge = before === 0 ? now > 0 : Math.abs(now / before - 1) >= largeChange;
  return isLarge ? directionOf(now - before, better) : 'neutral';
}

/** Shares of the whole: a move of the first counts however few requests made it, one below the second is noise though it be tenfold. */
const [largeShare, smallShare] = [0.1, 0.01];

/** Of a group, whose sum is a part. @param whole the sum of all groups, of the period that has more of it. */
export function moodOfMove(compared: Compared, better: Card['better'], whole: number): Mood {
  const { now, before } = compared;
  if (better === undefined || typeof now !== 'number' || typeof before !== 'number' || whole <= 0) return 'neutral';
  const share = Math.abs(now - before) / whole;
  if (share < smallShare) return 'neutral';
  return share >= largeShare ? directionOf(now - before, better) : moodOf(compared, better);
}

function directionOf(change: number, better: NonNullable<Card['better']>): Mood {
  return change > 0 === (better === 'more') ? 'good' : 'bad';
}
