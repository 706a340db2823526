import { expect, it } from 'vitest';
import { batchesOf } from './ask.ts';

const queries = (limits: readonly (number | undefined)[]) => limits.map((limit) => ({ query: { metrics: ['count'] as const, limit } }));
const sizes = (limits: readonly (number | undefined)[]): number[] => batchesOf(queries(limits)).map(({ length }) => length);

it('what a page asks goes with as few calls as the limits allow', () => {
  expect(sizes([undefined, 10, 10_000])).toEqual([3]);
  expect(sizes(Array.from({ length: 30 }, () => 1))).toEqual([24, 6]);
  expect(sizes(Array.from({ length: 12 }, () => 10_000))).toEqual([10, 2]);
});
