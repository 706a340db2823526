import { describe, expect, it } from 'vitest';
import { retryAfter } from './retry-after.ts';

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

describe('the wait that a response asks for', () => {
  const cases: readonly [lines: readonly string[], waitMs: number | undefined][] = [
    [['Retry-After', '7'], 7000],
    [['retry-after', ' 0 '], 0],
    [['retry-after', '1.5'], 1500],
    [['Retry-After', 'Thu, 01 Jan 2026 12:00:09 GMT'], 9000],
    [['Retry-After', 'Thursday, 01-Jan-26 12:00:09 GMT'], 9000],
    [['Retry-After', 'Thu Jan  1 12:00:09 2026'], 9000],
    [['Retry-After', 'Thu, 01 Jan 2026 11:00:00 GMT'], 0],
    [['Retry-After', '7', 'Retry-After-Ms', '120'], 120],
    [['Retry-After', '-7'], undefined],
    [['Retry-After', 'soon'], undefined],
    [['Retry-After', '2026-01-01T12:00:09Z'], undefined],
    [['Retry-After', 'Thu, 99 Jan 2026 12:00:09 GMT'], undefined],
    [['x-retry-after', '7', 'date', 'retry-after'], undefined],
    [[], undefined],
  ];
  for (const [lines, waitMs] of cases) {
    it(`${lines.join(' ')} is ${waitMs} ms`, () => {
      expect(retryAfter(lines, now)).toBe(waitMs);
    });
  }
});
