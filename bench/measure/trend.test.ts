import { describe, expect, it } from 'vitest';
import { lastingSlopePerSecond, slopePerSecond } from './trend.ts';

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

describe('the lasting slope of samples', () => {
  it('is that of a straight line, and of one with a hill too', () => {
    const line = Array.from({ length: 20 }, (_, index) => ({ atMs: index * 1000, value: 3 * index }));
    expect(lastingSlopePerSecond(line)).toBeCloseTo(3, 9);
    const hilly = line.map(({ atMs, value }, index) => ({ atMs, value: value + (index >= 14 && index < 18 ? 500 : 0) }));
    expect(lastingSlopePerSecond(hilly)).toBeCloseTo(3, 9);
    expect(slopePerSecond(hilly)).toBeGreaterThan(10);
  });

  it('is not known from one moment', () => {
    expect(lastingSlopePerSecond([{ atMs: 5, value: 1 }])).toBeNull();
    expect(lastingSlopePerSecond([])).toBeNull();
  });
});
