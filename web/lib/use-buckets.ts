import { useMemo, useState } from 'react';
import { type BucketedRange, bucketedRange } from './buckets.ts';
import { type RangeSearch, timeRangeOf } from './time-range.ts';
import { timeZone } from './zone.ts';

/**
 * The buckets of a range. It ends at the moment at which the page got it, so that all figures of a page have the same end.
 *
 * @param oldestMs How long ago a range without a start begins.
 */
export function useBuckets({ range, from, to }: RangeSearch, oldestMs: number): BucketedRange {
  const key = [range, from, to].join(' ');
  const [opened, setOpened] = useState(() => openedNow(key));
  if (opened.key !== key) setOpened(openedNow(key));
  const { at } = opened;
  return useMemo(() => bucketedRange(timeRangeOf({ range, from, to }, at), timeZone(), at, at - oldestMs), [range, from, to, at, oldestMs]);
}

function openedNow(key: string): { readonly key: string; readonly at: number } {
  return { key, at: Date.now() };
}
