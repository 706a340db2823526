import { expect, test } from 'vitest';
import { LatencyHistogram } from './latency-histogram.ts';

test('an empty histogram has no latency', () => {
  expect(new LatencyHistogram().summary()).toEqual({ p50Micros: 0, p99Micros: 0, maximumMicros: 0 });
});

test.each([0.1, 55.3, 204.7, 204.8, 204.9, 409.6, 1234.5, 98_765, 12_345_678])('%f µs is kept within a thousandth', (micros) => {
  const histogram = new LatencyHistogram();
  histogram.record(micros / 1000);
  histogram.record(200_000);
  expect(Math.abs(histogram.quantileMicros(0.5) - micros)).toBeLessThanOrEqual(micros / 1000 + 1e-6);
});

test('quantiles are those of the sorted values', () => {
  const histogram = new LatencyHistogram();
  for (let micros = 1000; micros >= 1; micros -= 1) histogram.record(micros / 1000);
  const { p50Micros, p99Micros, maximumMicros } = histogram.summary();
  expect(p50Micros).toBeCloseTo(500, 0);
  expect(Math.abs(p99Micros - 990)).toBeLessThan(1);
  expect(maximumMicros).toBeCloseTo(1000, 6);
});
