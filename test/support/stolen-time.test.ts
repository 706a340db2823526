import { expect, it } from 'vitest';
import { type CoreTimes, StolenTime } from './stolen-time.ts';

it('tells what the host took, in which seconds it took much, and when the machine stood still', () => {
  const looks: CoreTimes[] = [
    { atMs: 0, stolen: 0, all: 0 },
    { atMs: 1000, stolen: 10, all: 200 },
    { atMs: 2000, stolen: 50, all: 400 },
    { atMs: 9000, stolen: 50, all: 1800 },
    { atMs: 10_000, stolen: 50, all: 2000 },
  ];
  const time = new StolenTime(() => looks.shift() ?? { atMs: 10_000, stolen: 50, all: 2000 });
  for (let second = 0; second < 4; second += 1) time.sample();
  time.stop();
  expect(time.share()).toBe(0.025);
  expect([time.disturbs(0, 500), time.disturbs(500, 1500), time.disturbs(13_000, 13_100), time.disturbs(14_100, 14_200)]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
