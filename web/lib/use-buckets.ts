import { useMemo, useState, useSyncExternalStore } from 'react';
import { type BucketedRange, bucketedRange } from './buckets.ts';
import { type RangeSearch, timeRangeOf } from './time-range.ts';
import { timeZone } from './zone.ts';

export interface Room {
  /** How long ago a range without a start begins, milliseconds. */
  readonly oldestMs: number;
  /** Width of the charts in a window of this width; in pixels. */
  readonly chartWidth: (windowWidth: number) => number;
}

/** Pixels of a bucket: narrower ones are needles. */
const bucketPixels = 4.5;

/**
 * The buckets of a range, as many as the charts have room for. It ends at the moment at which the page got it, so that all figures of a
 * page have the same end.
 * @param renewals Another number gets it again.
 */
export function useBuckets({ range, from, to }: RangeSearch, { oldestMs, chartWidth }: Room, renewals = 0): BucketedRange {
  const key = [range, from, to, renewals].join(' ');
  const [opened, setOpened] = useState(() => openedNow(key));
  if (opened.key !== key) setOpened(openedNow(key));
  const { at } = opened;
  const most = useSyncExternalStore(onResize, () => Math.floor(chartWidth(window.innerWidth) / bucketPixels));
  return useMemo(
    () => bucketedRange(timeRangeOf({ range, from, to }, at), timeZone(), { now: at, oldest: at - oldestMs, most }),
    [range, from, to, at, oldestMs, most],
  );
}

function onResize(changed: () => void): () => void {
  window.addEventListener('resize', changed);
  return () => window.removeEventListener('resize', changed);
}

function openedNow(key: string): { readonly key: string; readonly at: number } {
  return { key, at: Date.now() };
}

const narrow = 700;
const sidebar = 210;
/** Around the page, and around a chart with its axis. */
const [pagePadding, chartPadding] = [48, 110];

function contentWidth(windowWidth: number): number {
  return windowWidth - (windowWidth > narrow ? sidebar : 0) - pagePadding;
}

/** The room of a chart that is as wide as the page. */
export function wideChart(windowWidth: number): number {
  return contentWidth(windowWidth) - chartPadding;
}

/** The room of a chart of several in a row, each at least so wide. */
export function chartInRow(leastWidth: number): Room['chartWidth'] {
  return (windowWidth) => {
    const width = contentWidth(windowWidth);
    return width / Math.max(1, Math.floor(width / leastWidth)) - chartPadding;
  };
}
