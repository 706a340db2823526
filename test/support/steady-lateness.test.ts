import { expect, it, test } from 'vitest';
import { LatencyHistogram } from '../../bench/load/latency-histogram.ts';
import { latenessOf, undisturbedDelay } from './steady-lateness.ts';

/** A host that steals the cores between two moments. */
const takenFrom = (from: number, until: number) => ({ disturbs: (start: number, end: number) => end >= from && start <= until });

/** Calls one second apart, each with its delay in milliseconds. */
function foundAfter(delays: readonly number[]) {
  const visible = new LatencyHistogram();
  for (const afterMs of delays) visible.record(afterMs);
  return { calls: delays.length, visible: visible.summary(), each: delays.map((afterMs, index) => ({ endedAt: index * 1000, afterMs })) };
}

it('leaves out a call whose first second was disturbed, but not one that was late before the disturbance', () => {
  const { each } = foundAfter([400, 30_000, 400, 400, 400]);
  expect(undisturbedDelay(each, takenFrom(5500, 60_000)).calls).toBe(5);
  expect(undisturbedDelay(each, takenFrom(1500, 2200)).calls).toBe(3);
});

test.each([
  ['none', 'all calls are in time, however much the host stole', Array.from({ length: 100 }, () => 400), [0, 99_000]],
  ['excused', 'only disturbed calls are late', Array.from({ length: 100 }, (_unused, index) => (index < 20 ? 9000 : 400)), [0, 30_000]],
  ['late', 'undisturbed calls are late too', Array.from({ length: 100 }, (_unused, index) => (index % 2 === 0 ? 9000 : 400)), [0, 30_000]],
  ['unknown', 'too few calls were undisturbed', Array.from({ length: 100 }, (_unused, index) => (index < 20 ? 9000 : 400)), [0, 60_000]],
] as const)('%s: %s', (lateness, _why, delays, [from, until]) => {
  const found = foundAfter(delays);
  expect(latenessOf(found, undisturbedDelay(found.each, takenFrom(from, until)))).toBe(lateness);
});
