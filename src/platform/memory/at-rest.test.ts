import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { releaseMemoryAtRest, type ThreadMemory } from './at-rest.ts';

const mebibyte = 1024 * 1024;
const second = 1000;

let end: () => void = () => undefined;
beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  end();
  vi.useRealTimers();
});

/** @returns how often the thread is collected in the time. */
function collectionsIn(ms: number, memory: Partial<ThreadMemory> = {}): number {
  const collect = vi.fn<() => void>();
  end = releaseMemoryAtRest({ busyShare: () => 0, youngBytes: () => 16 * mebibyte, heapBytes: () => 20 * mebibyte, collect, ...memory });
  vi.advanceTimersByTime(ms);
  return collect.mock.calls.length;
}

it('collects a thread that has rested for some seconds, and not again at once', () => {
  expect(collectionsIn(2 * second)).toBe(0);
  end();
  expect(collectionsIn(50 * second)).toBe(1);
});

it('collects again a minute later when a trickle has filled the young generation once more', () => {
  expect(collectionsIn(150 * second)).toBe(3);
});

it('collects soon when a thread rests after work', () => {
  let samples = 0;
  expect(collectionsIn(60 * second, { busyShare: () => ((samples += 1) % 15 === 0 ? 1 : 0) })).toBe(3);
});

it('leaves a thread alone that works', () => {
  expect(collectionsIn(60 * second, { busyShare: () => 0.03 })).toBe(0);
});

it('begins to count again when a thread works in between', () => {
  let samples = 0;
  expect(collectionsIn(60 * second, { busyShare: () => ((samples += 1) % 3 === 0 ? 1 : 0) })).toBe(0);
});

it('leaves a thread alone that has made little garbage, and one whose heap is large', () => {
  expect(collectionsIn(60 * second, { youngBytes: () => mebibyte })).toBe(0);
  end();
  expect(collectionsIn(60 * second, { heapBytes: () => 200 * mebibyte })).toBe(0);
});

it('ends', () => {
  expect(collectionsIn(second)).toBe(0);
  end();
  vi.advanceTimersByTime(60 * second);
  expect(vi.getTimerCount()).toBe(0);
});
