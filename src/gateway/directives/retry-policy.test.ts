import { describe, expect, it } from 'vitest';
import { defaultRetryPolicy, isTransient, waitBeforeRetry } from './retry-policy.ts';

const almostOne = 1 - Number.EPSILON;

describe('the wait before a retry', () => {
  it('by default grows as clients of Helicone`s API know it, and begins at half of that by chance', () => {
    const longest = [0, 1, 2, 3, 4].map((retry) => waitBeforeRetry(defaultRetryPolicy, retry, almostOne));
    expect(longest.map(Math.round)).toEqual([1000, 2000, 4000, 8000, 10_000]);
    expect([0, 1, 2, 3, 4].map((retry) => waitBeforeRetry(defaultRetryPolicy, retry, 0))).toEqual([500, 1000, 2000, 4000, 5000]);
  });

  const policy = { retries: 3, factor: 1.5, minTimeoutMs: 100, maxTimeoutMs: 1000 };
  const cases: readonly [why: string, retry: number, random: number, askedMs: number | undefined, waitMs: number][] = [
    ['a factor that is no whole number', 1, 0, undefined, 75],
    ['what the provider asks for, where that is longer', 0, 0, 700, 700],
    ['the back-off, where that is longer', 0, 0.5, 10, 75],
    ['what the provider asks for, also where that is longer than the longest back-off', 0, 0, 30_000, 30_000],
    ['no longer than the longest after many retries', 99, almostOne, undefined, 1000],
  ];
  for (const [why, retry, random, retryAfterMs, waitMs] of cases) {
    it(why, () => {
      expect(waitBeforeRetry(policy, retry, random, retryAfterMs)).toBeCloseTo(waitMs, 6);
    });
  }

  it('is none where the first wait is none', () => {
    expect(waitBeforeRetry({ ...policy, factor: 100, minTimeoutMs: 0 }, 99, 0.5)).toBe(0);
  });
});

it('what may go better another time: 429 and the provider`s own failures', () => {
  expect([200, 400, 401, 404, 408, 409, 428, 429, 430, 499, 500, 502, 503, 504, 529, 599, 600].filter(isTransient)).toEqual([
    429, 500, 502, 503, 504, 529, 599,
  ]);
});
