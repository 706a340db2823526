import { describe, expect, it } from 'vitest';
import { failedWith } from '../testing/outbox-harness.ts';
import type { FailedAttempt } from './schedule.ts';
import { waitAfter } from './schedule.ts';

const hour = 3_600_000;
const minute = 60_000;
const failed = (status: number, retryAfterMs?: number) => failedWith(status, retryAfterMs) as FailedAttempt['outcome'];

describe('the wait after a failed attempt', () => {
  it.each([
    [0, 5000],
    [1, 5 * minute],
    [2, 30 * minute],
    [3, 2 * hour],
    [4, 5 * hour],
    [5, 10 * hour],
    [6, 14 * hour],
    [7, 20 * hour],
    [8, 24 * hour],
    [9, undefined],
  ])('step %i: %s ms, and up to a fifth more', (step, wait) => {
    expect(waitAfter({ step, outcome: failed(500), chance: 0 })).toBe(wait);
    expect(waitAfter({ step, outcome: failed(500), chance: 0.5 })).toBe(wait === undefined ? undefined : Math.round(wait * 1.1));
  });

  it.each([429, 502, 504])('after %i: twice as long, and at least a minute', (status) => {
    expect(waitAfter({ step: 0, outcome: failed(status), chance: 0 })).toBe(minute);
    expect(waitAfter({ step: 2, outcome: failed(status), chance: 0 })).toBe(hour);
    expect(waitAfter({ step: 9, outcome: failed(status), chance: 0 })).toBeUndefined();
  });

  it('as long as the receiver asks for, up to a day, and never shorter than planned', () => {
    expect(waitAfter({ step: 0, outcome: failed(503, 90_000), chance: 0 })).toBe(90_000);
    expect(waitAfter({ step: 2, outcome: failed(503, 1000), chance: 0 })).toBe(30 * minute);
    expect(waitAfter({ step: 0, outcome: failed(429, 365 * 24 * hour), chance: 0 })).toBe(24 * hour);
  });
});
