import { expect, it } from 'vitest';
import { type CoreTimes, StolenTime } from './stolen-time.ts';

/** Two cores count 200 jiffies a second, or fewer while the machine is paused. */
const reading = (atMs: number, stolen: number, all = atMs / 5): CoreTimes => ({ atMs, cores: 2, stolen, all });

function sampled(readings: readonly CoreTimes[]): StolenTime {
  const left = [...readings];
  const time = new StolenTime(() => left.shift() ?? readings.at(-1) ?? reading(0, 0));
  for (let second = 2; second < readings.length; second += 1) time.sample();
  time.stop();
  return time;
}

it('reports the stolen share, and disturbances that last as long again and at least five seconds', () => {
  const time = sampled([
    reading(0, 0),
    reading(1000, 10),
    reading(2000, 50),
    reading(3000, 50),
    reading(10_000, 1450),
    reading(11_000, 1450),
    reading(12_000, 1450),
  ]);
  expect(time.share()).toBeCloseTo(1450 / 2400, 10);
  // The first 0.2 s are caught up before the seven seconds in which everything is stolen.
  const until = 10_000 + 7000;
  const intervals = [
    [0, 500],
    [500, 1500],
    [2500, 2600],
    [until - 100, until],
    [until + 100, until + 200],
  ] as const;
  expect(intervals.map(([from, to]) => time.disturbs(from, to))).toEqual([false, true, true, true, false]);
});

it('counts jiffies that no core counted as stolen: the machine was paused', () => {
  const time = sampled([reading(0, 0), reading(1000, 0, 200), reading(8000, 0, 400), reading(9000, 0, 600)]);
  expect(time.share()).toBeCloseTo(1200 / 1800, 10);
  expect([time.disturbs(0, 900), time.disturbs(3000, 3100), time.disturbs(12_000, 12_100), time.disturbs(14_100, 14_200)]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

it('does not mistake a late sample for a pause', () => {
  const time = sampled([reading(0, 0), reading(1000, 0), reading(8000, 0), reading(9000, 0)]);
  expect([time.share(), time.disturbs(0, 9000)]).toEqual([0, false]);
});
