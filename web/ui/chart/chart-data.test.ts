import { expect, it } from 'vitest';
import { loneIndexes, partAt, stackedValues } from './chart-data.ts';

it('stacks each series on those before it, and a gap adds nothing', () => {
  expect(
    stackedValues([
      [1, null, 3],
      [10, 20, null],
    ]),
  ).toEqual([
    [1, 0, 3],
    [11, 20, 3],
  ]);
});

it('the step into an incomplete bucket belongs to the dashed part alone', () => {
  expect(partAt([1, 2, 3], 2)).toEqual({ certain: [1, 2, null], open: [null, 2, 3] });
  expect(partAt([1, 2, 3], 3)).toEqual({ certain: [1, 2, 3], open: [null, null, 3] });
});

it('values without a neighbour are drawn as points', () => {
  expect(loneIndexes([1, null, 2, 3, undefined, 4])).toEqual([0, 5]);
  expect([loneIndexes([7]), loneIndexes([]), loneIndexes([null])]).toEqual([[0], [], []]);
});
