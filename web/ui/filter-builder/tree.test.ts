import { expect, it } from 'vitest';
import { parseSearch } from '../../../src/query/language/parse.ts';
import { printSearch } from '../../../src/query/language/print.ts';
import { emptyRow, filterOf, groupOf, operatorsOf } from './tree.ts';

it.each([
  '',
  'model:gpt-4o',
  'model:gpt-4o status:>=400 Team:search -user:ann',
  'has:Environment',
  '"exact words"',
  '(A:1 OR B:2) C:3',
  'A:1 OR (B:2 C:3)',
  'model:(a OR b)',
  'time:>=2026-01-31T12:00:00.000Z',
  'cached:true',
  'cost:>0.5 latency:<=200',
  '"my team":"a b"',
  'properties.text:x',
  'scores.quality:>=3',
  'Team:""',
  '-Team:~x',
])('the search %s is the same after the builder', (search) => {
  const { filter } = parseSearch(search);
  expect(filterOf(groupOf(filter))).toEqual(filter);
  expect(printSearch(filterOf(groupOf(filter)))).toBe(printSearch(filter));
});

it('a row that is not complete says nothing yet', () => {
  const [kept] = groupOf(parseSearch('status:200').filter).items;
  const rows = [kept, { ...emptyRow(), field: 'status', value: 'high' }, { ...emptyRow(), field: '' }].filter((row) => row !== undefined);
  expect(printSearch(filterOf({ kind: 'group', id: 0, joiner: 'or', items: rows }))).toBe('status:200');
});

it('each field has the operators of its kind', () => {
  expect(Object.keys(operatorsOf('status'))).toContain('gte');
  expect(Object.keys(operatorsOf('cached'))).toEqual(['equals']);
  expect(Object.keys(operatorsOf('Team'))).toContain('not-contains');
  expect(Object.keys(operatorsOf('has'))).toEqual(['equals']);
});
