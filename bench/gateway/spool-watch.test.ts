import { describe, expect, it } from 'vitest';
import { spoolTrendOf } from './spool-watch.ts';

const mebi = 1024 * 1024;

/** One sample a second: what waits, with 10 MiB coming in each second. */
function samples(waitingMebibytes: readonly number[]) {
  return waitingMebibytes.map((waiting, index) => ({ atMs: index * 1000, waitingBytes: waiting * mebi, writtenBytes: index * 10 * mebi }));
}

describe('an ingest keeps up', () => {
  it('when what waits is level at the end, however high it rose before', () => {
    const trend = spoolTrendOf(samples([0, 100, 200, 200, 200, 200]), 3000);
    expect(trend).toMatchObject({ keepsUp: true, growthBytesPerSecond: 0, inflowBytesPerSecond: 10 * mebi });
  });

  it('when what waits rises and falls with the batches', () => {
    expect(spoolTrendOf(samples([5, 9, 5, 9, 5, 9, 5]), 6000).keepsUp).toBe(true);
  });

  it('when it had caught up at some moment, and then put batches off for a burst', () => {
    expect(spoolTrendOf(samples([90, 60, 30, 4, 14, 24, 34, 44, 54, 64, 74, 84, 94, 104]), 13_000)).toMatchObject({
      keepsUp: true,
      minWaitingBytes: 4 * mebi,
    });
  });

  it('not when more waits by more than what comes in within a second', () => {
    expect(spoolTrendOf(samples([20, 24, 28, 32]), 3000)).toMatchObject({ keepsUp: false, growthBytesPerSecond: 4 * mebi });
    expect(spoolTrendOf(samples([20, 23, 26, 29]), 3000).keepsUp).toBe(true);
  });

  it('not as far as is known, when there was no time to look', () => {
    expect(spoolTrendOf(samples([7]), 3000)).toMatchObject({ keepsUp: false, growthBytesPerSecond: null });
  });
});
