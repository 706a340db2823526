import { expect, it } from 'vitest';
import { parseSearch } from '../../src/query/language/parse.ts';
import { otherCases, storedName } from './property-case.ts';

const names = ['Squad', 'Team', 'team'];

it('a property in another case than requests write it is named, with the search corrected', () => {
  const { filter } = parseSearch('model:gpt-4o (squad:fl OR Team:a)');
  const [first, ...others] = otherCases(filter, names);
  expect([first?.name, first?.stored, others]).toEqual(['squad', 'Squad', []]);
  expect(parseSearch(first?.corrected ?? '').filter).toEqual(parseSearch('model:gpt-4o (Squad:fl OR Team:a)').filter);
});

it('a property that is on record as it is written, or in no case, is left alone', () => {
  expect(otherCases(parseSearch('team:a Tier:b').filter, names)).toEqual([]);
  expect([storedName('team', names), storedName('TEAM', names), storedName('Tier', names)]).toEqual(['team', 'Team', undefined]);
});
