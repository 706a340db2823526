import { expect, it } from 'vitest';
import { type ChartSeries, loneIndexes, partAt, requestsOfPoint, seriesAt, stackedValues } from './chart-data.ts';

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

const series = (id: string, values: readonly (number | null)[], more: Partial<ChartSeries> = {}): ChartSeries => ({
  id,
  title: id,
  color: 1,
  values,
  ...more,
});

it('of bars the one of that height is pointed at, of lines the next one within reach', () => {
  const drawn = [series('one', [10, 0]), series('two', [20, 5]), series('before', [29, 1], { isBefore: true })];
  const at = (kind: 'bars' | 'line', value: number, index = 0): string | undefined => seriesAt(kind, drawn, { index, value, reach: 3 })?.id;
  expect([at('bars', 4), at('bars', 11), at('bars', 30), at('bars', 31), at('bars', -1)]).toEqual([
    'one',
    'two',
    'two',
    undefined,
    undefined,
  ]);
  expect([at('line', 8), at('line', 18), at('line', 15), at('line', 29)]).toEqual(['one', 'two', undefined, undefined]);
  // A line at 0 has no requests there.
  expect([at('bars', 2, 1), at('line', 0, 1), at('line', 3, 1), at('line', 3, 2)]).toEqual(['two', undefined, 'two', undefined]);
});

it('a point leads to the requests of its series and its bucket, or nowhere', () => {
  const bucket = { q: 'user:ann', from: 1, to: 2 };
  const ofPoint = (more: Partial<ChartSeries>, index = 0) => requestsOfPoint(series('x', [5, 0, null], more), index, bucket);
  expect(ofPoint({})).toEqual(bucket);
  expect(ofPoint({ isPart: true, requests: { q: 'user:ann model:x', range: '24h' } })).toEqual({ ...bucket, q: 'user:ann model:x' });
  expect([ofPoint({ isPart: true }), ofPoint({ isBefore: true }), ofPoint({}, 1), ofPoint({}, 2)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(requestsOfPoint(series('x', [5]), 0, undefined)).toBeUndefined();
});
