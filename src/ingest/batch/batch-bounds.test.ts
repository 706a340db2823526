import { expect, test } from 'vitest';
import { type InterpretedExchange, withinBounds } from '../worker/record-builder.ts';

const row = (bytes: number): InterpretedExchange => ({
  request: new Uint8Array(bytes),
  bodies: new Uint8Array(bytes),
  changes: new Uint8Array(),
  endedAt: null,
});
const none: InterpretedExchange = { failure: 'none' };

test.each([
  ['rows', [row(20), row(40), row(1)], 2],
  ['the first row alone', [row(1000), row(1)], 1],
  ['no row', [none, none, none], 3],
])('nothing follows behind what fills the memory of a batch: %s', (_, results, count) => {
  expect([...withinBounds(results, { maxRowBytes: 100, maxMs: 1000, monotonic: () => 0 })]).toEqual(results.slice(0, count));
});

test('nothing follows behind what takes the time of a batch, and something comes of every batch', () => {
  let now = 0;
  const monotonic = (): number => (now += 600);
  expect([...withinBounds([none, none, none], { maxRowBytes: 100, maxMs: 1000, monotonic })]).toHaveLength(2);
  expect([...withinBounds([none, none, none], { maxRowBytes: 100, maxMs: 0, monotonic })]).toHaveLength(1);
});
