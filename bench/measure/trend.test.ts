import { describe, expect, it } from 'vitest';
import { slopePerSecond } from './trend.ts';

describe('the slope of samples', () => {
  it('is what a straight line rises in a second', () => {
    expect(slopePerSecond([0, 500, 1000, 1500].map((atMs) => ({ atMs, value: 7 + atMs * 0.02 })))).toBeCloseTo(20, 9);
  });

  it('is none for a saw of whole teeth', () => {
    const saw = [1, 3, 1, 1, 3, 1].map((value, index) => ({ atMs: index * 1000, value }));
    expect(slopePerSecond(saw)).toBeCloseTo(0, 9);
  });

  it('is not known from one moment', () => {
    expect(slopePerSecond([{ atMs: 5, value: 1 }])).toBeNull();
    expect(slopePerSecond([])).toBeNull();
  });
});
