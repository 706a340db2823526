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

/** Colour is for what is good or bad, and large. */
export function moodOf({ now, before, requests }: Compared, better: Card['better']): 'good' | 'bad' | 'neutral' {
  if (better === undefined || typeof now !== 'number' || typeof before !== 'number') return 'neutral';
  if (Math.min(...requests) < minRequests) return 'neutral';
  const isLarge = before === 0 ? now > 0 : Math.abs(now / before - 1) >= largeChange;
  if (!isLarge) return 'neutral';
  return now > before === (better === 'more') ? 'good' : 'bad';
}
