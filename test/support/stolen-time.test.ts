import { expect, it } from 'vitest';
import { type CoreTimes, StolenTime } from './stolen-time.ts';

it('tells what the host took, and for how long that is felt: for as long again as it lasted, and five seconds at least', () => {
  const looks: CoreTimes[] = [
    { atMs: 0, stolen: 0, all: 0 },
    { atMs: 1000, stolen: 10, all: 200 },
    { atMs: 2000, stolen: 50, all: 400 },
    { atMs: 3000, stolen: 50, all: 600 },
    // The whole machine stood still.
    { atMs: 10_000, stolen: 50, all: 2000 },
    { atMs: 11_000, stolen: 50, all: 2200 },
  ];
  const last = { atMs: 12_000, stolen: 50, all: 2400 };
  const time = new StolenTime(() => looks.shift() ?? last);
  for (let second = 0; second < 5; second += 1) time.sample();
  time.stop();
  expect(time.share()).toBeCloseTo(50 / 2400, 10);
  // Of five seconds one had passed when the machine stood still for seven.
  const until = 10_000 + 4000 + 7000;
  const asked = [
    [0, 500],
    [500, 1500],
    [2500, 2600],
    [until - 100, until],
    [until + 100, until + 200],
  ] as const;
  expect(asked.map(([from, to]) => time.disturbs(from, to))).toEqual([false, true, true, true, false]);
});
