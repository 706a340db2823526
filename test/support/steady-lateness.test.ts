import { expect, it, test } from 'vitest';
import { LatencyHistogram } from '../../bench/load/latency-histogram.ts';
import { latenessOf, undisturbedDelay } from './steady-lateness.ts';

/** A host that took the cores between two moments. */
const takenFrom = (from: number, until: number) => ({ disturbs: (start: number, end: number) => end >= from && start <= until });

/** Calls a second apart, found after so many milliseconds. */
function foundAfter(delays: readonly number[]) {
  const visible = new LatencyHistogram();
  for (const afterMs of delays) visible.record(afterMs);
  return { calls: delays.length, visible: visible.summary(), each: delays.map((afterMs, index) => ({ endedAt: index * 1000, afterMs })) };
}

it('leaves out a call whose first second was disturbed, and not one that was late before', () => {
  const { each } = foundAfter([400, 30_000, 400, 400, 400]);
  expect(undisturbedDelay(each, takenFrom(5500, 60_000)).calls).toBe(5);
  expect(undisturbedDelay(each, takenFrom(1500, 2200)).calls).toBe(3);
});

test.each([
  ['none', 'all are in time, whatever the host took', Array.from({ length: 100 }, () => 400), [0, 99_000]],
  [
    'excused',
    'those that are late were disturbed',
    Array.from({ length: 100 }, (_unused, index) => (index < 20 ? 9000 : 400)),
    [0, 30_000],
  ],
  ['late', 'others are late as well', Array.from({ length: 100 }, (_unused, index) => (index % 2 === 0 ? 9000 : 400)), [0, 30_000]],
  ['unknown', 'too few were left alone', Array.from({ length: 100 }, (_unused, index) => (index < 20 ? 9000 : 400)), [0, 60_000]],
] as const)('%s: %s', (lateness, _why, delays, [from, until]) => {
  const found = foundAfter(delays);
  expect(latenessOf(found, undisturbedDelay(found.each, takenFrom(from, until)))).toBe(lateness);
});
