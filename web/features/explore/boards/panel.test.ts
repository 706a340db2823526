import { expect, it } from 'vitest';
import { parseSearch } from '../../../../src/query/language/parse.ts';
import { boardRangeOf, panelOf, queryOf, rangeOf } from './panel.ts';

it('what is saved as a panel is asked again', () => {
  const query = {
    filter: parseSearch('Team:search').filter,
    metrics: ['cost', 'count'],
    by: ['model', 'properties.Team'],
    sort: 'count',
    order: 'asc',
    top: 5,
    chart: 'bars',
  } as const;
  expect(queryOf(panelOf('Spend', query))).toEqual(query);
});

it('a panel that a script has stored with little is shown', () => {
  expect(queryOf({ title: 'x', chart: 'line', metrics: ['count'], by: [{ property: 'Team' }] })).toMatchObject({
    by: ['properties.Team'],
    sort: 'count',
    order: 'desc',
  });
});

it.each([[{ range: '7d' }], [{ from: 1000, to: 5000 }]] as const)('the range %j stays as it is on a board', (range) => {
  expect(rangeOf(boardRangeOf(range), 0)).toEqual(range);
});

it('a board without a range that pages offer shows it all the same', () => {
  expect(rangeOf({ last: '3d' }, 10 * 86_400_000)).toEqual({ from: 7 * 86_400_000 });
});
