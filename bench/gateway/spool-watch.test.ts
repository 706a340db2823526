import { describe, expect, it } from 'vitest';
import { courseOf } from './spool-watch.ts';

const mebi = 1024 * 1024;

/** One sample a second: what waits, with 10 MiB coming in each second. */
function samples(waitingMebibytes: readonly number[]) {
  return waitingMebibytes.map((waiting, index) => ({ atMs: index * 1000, waitingBytes: waiting * mebi, writtenBytes: index * 10 * mebi }));
}

describe('an ingest keeps up', () => {
  it('when what waits is level at the end, however high it rose before', () => {
    const course = courseOf(samples([0, 100, 200, 200, 200, 200]), 3000);
    expect(course).toMatchObject({ keepsUp: true, growthBytesPerSecond: 0, inflowBytesPerSecond: 10 * mebi });
  });

  it('when what waits rises and falls with the batches', () => {
    expect(courseOf(samples([5, 9, 5, 9, 5, 9, 5]), 6000).keepsUp).toBe(true);
  });

  it('when it had caught up at some moment, and then put batches off for a burst', () => {
    expect(courseOf(samples([90, 60, 30, 4, 14, 24, 34, 44, 54, 64, 74, 84, 94, 104]), 13_000)).toMatchObject({
      keepsUp: true,
      minWaitingBytes: 4 * mebi,
    });
  });

  it('not when more waits by more than what comes in within a second', () => {
    expect(courseOf(samples([20, 24, 28, 32]), 3000)).toMatchObject({ keepsUp: false, growthBytesPerSecond: 4 * mebi });
    expect(courseOf(samples([20, 23, 26, 29]), 3000).keepsUp).toBe(true);
  });

  it('not as far as is known, when there was no time to look', () => {
    expect(courseOf(samples([7]), 3000)).toMatchObject({ keepsUp: false, growthBytesPerSecond: null });
  });
});
