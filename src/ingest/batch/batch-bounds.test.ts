import { expect, test } from 'vitest';
import { RecentOwners } from '../worker/recent-owners.ts';
import { type InterpretedExchange, withinBounds } from '../worker/record-builder.ts';

const row = (bytes: number): InterpretedExchange => ({
  request: new Uint8Array(bytes),
  bodies: new Uint8Array(bytes),
  changes: new Uint8Array(),
  endedAt: null,
});
const none: InterpretedExchange = { failure: 'none' };
const bounds = { maxRowBytes: 100, maxMs: 1000, maxMsOfOne: 1000, monotonic: () => 0, ownerOf: () => 'one' };

test.each([
  ['rows', [row(20), row(40), row(1)], 2],
  ['the first row alone', [row(1000), row(1)], 1],
  ['no row', [none, none, none], 3],
])('nothing follows behind what fills the memory of a batch: %s', (_, results, count) => {
  expect([...withinBounds(results, bounds)]).toEqual(results.slice(0, count));
});

test('nothing follows behind what takes the time of a batch, and something comes of every batch', () => {
  let now = 0;
  const monotonic = (): number => (now += 600);
  expect([...withinBounds([none, none, none], { ...bounds, monotonic })]).toHaveLength(2);
  expect([...withinBounds([none, none, none], { ...bounds, maxMs: 0, monotonic })]).toHaveLength(1);
});

test('the records of one organisation take less of it, while others wait', () => {
  let now = 0;
  const monotonic = (): number => (now += 150);
  const owners = ['quick', 'slow', 'slow', 'slow', 'slow', 'quick'];
  const within = { ...bounds, maxMsOfOne: 400, monotonic, ownerOf: (index: number) => owners[index] };
  expect([
    ...withinBounds(
      owners.map(() => none),
      within,
    ),
  ]).toHaveLength(4);
  expect([
    ...withinBounds(
      owners.map(() => none),
      { ...within, maxMsOfOne: 1000 },
    ),
  ]).toHaveLength(6);
});

test('an organisation waits for nobody once it has sent nothing for ten seconds', () => {
  const owners = new RecentOwners();
  expect(owners.note(['one'], 0)).toBe(1);
  expect(owners.note(['two', 'two'], 6000)).toBe(2);
  expect(owners.note(['two'], 10_000)).toBe(2);
  expect(owners.note(['two'], 10_001)).toBe(1);
});
