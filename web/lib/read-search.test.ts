import { expect, it } from 'vitest';
import { doubted, readSearch } from './read-search.ts';

it('a name near that of a field is doubted unless a property has it', () => {
  const { hints = [] } = readSearch('Costs:3 Modell:x');
  expect(hints.map(({ name }) => name)).toEqual(['Costs', 'Modell']);
  expect(doubted(hints, ['Costs', 'Team']).map(({ name }) => name)).toEqual(['Modell']);
  expect(doubted(hints, []).map(({ name }) => name)).toEqual(['Costs', 'Modell']);
  expect(doubted(hints, undefined)).toEqual([]);
});
