import { expect, it } from 'vitest';
import { type ProcessSample, trendOf } from './steady-verdict.ts';

/** Half an hour with one sample a second. */
function samplesOf(
  resident: (minute: number) => number,
  descriptors: (second: number) => number = () => 40,
  threads: (second: number) => number = () => 20,
): readonly ProcessSample[] {
  return Array.from({ length: 1800 }, (_, second) => ({
    atMs: second * 1000,
    residentBytes: resident(second / 60),
    descriptors: descriptors(second),
    threads: threads(second),
  }));
}

/** One more thread each time this many seconds have passed. */
function withThreadsEvery(seconds: number): readonly ProcessSample[] {
  return samplesOf(
    () => 1e8,
    () => 40,
    (second) => 20 + Math.floor(second / seconds),
  );
}

const trend = (samples: readonly ProcessSample[]) => trendOf({ process: 'core', samples });

it('memory grows when it rises steadily, not when it has settled or only swings', () => {
  const steady = trend(samplesOf((minute) => 400e6 + minute * 4e6));
  expect([steady.grows, Math.round(steady.residentBytesPerHour / 1e6)]).toEqual([true, 240]);
  expect(trend(samplesOf((minute) => 400e6 + Math.min(minute, 14) * 20e6)).grows).toBe(false);
  // The growth stops in the middle of the second half.
  expect(trend(samplesOf((minute) => 400e6 + Math.min(minute, 21) * 20e6)).grows).toBe(false);
  expect(trend(samplesOf((minute) => 400e6 + 60e6 * Math.sin(minute * 3))).grows).toBe(false);
  expect(trend(samplesOf((minute) => 400e6 - minute * 4e6)).grows).toBe(false);
});

/** Swings by a tenth within seconds, like a process with garbage. */
const swings = (minute: number): number => 720e6 + 140e6 * Math.abs(Math.sin(minute * 40));

/** A backlog that is worked off before the end. */
const hill = (minute: number): number => (minute >= 25 && minute < 28.5 ? 80e6 : 0);

it('a hill near the end is no growth, a rise beneath swings and a hill is', () => {
  expect(trend(samplesOf((minute) => swings(minute) + hill(minute))).grows).toBe(false);
  const growing = trend(samplesOf((minute) => swings(minute) + hill(minute) + minute * 3e6));
  expect([growing.grows, Math.round(growing.residentBytesPerHour / 3e7)]).toEqual([true, 6]);
  expect(trend(samplesOf((minute) => swings(minute) - minute * 3e6)).grows).toBe(false);
});

it('a hill that does not come down is growth, and a short run can grow too', () => {
  expect(trend(samplesOf((minute) => swings(minute) + Math.max(0, minute - 26) * 20e6)).grows).toBe(true);
  const twoMinutes = (rise: number): readonly ProcessSample[] => samplesOf((minute) => 400e6 + minute * rise).slice(0, 120);
  expect([trend(twoMinutes(100e6)).grows, trend(twoMinutes(1e6)).grows]).toEqual([true, false]);
});

it('permanent descriptors are a leak, temporary ones are not', () => {
  const leak = trend(
    samplesOf(
      () => 1e8,
      (second) => 40 + Math.floor(second / 60),
    ),
  );
  expect([leak.leaks, Math.round(leak.descriptorsPerHour)]).toEqual([true, 60]);
  const swinging = trend(
    samplesOf(
      () => 1e8,
      (second) => 40 + (second % 9) * 20,
    ),
  );
  expect(swinging.leaks).toBe(false);
});

it('descriptors of merges that take longer and longer are no leak', () => {
  const merging = trend(
    samplesOf(
      () => 1e8,
      (second) => (second % 60 < second / 60 ? 120 : 40),
    ),
  );
  expect(merging.leaks).toBe(false);
});

it('permanent threads are too many once they exceed the growth of a pool', () => {
  const often = trend(withThreadsEvery(60));
  expect([often.spawns, often.leaks, Math.round(often.threadsPerHour)]).toEqual([true, false, 60]);
  expect(trend(withThreadsEvery(180)).spawns).toBe(false);
});
