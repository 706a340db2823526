import { expect, it } from 'vitest';
import { listedModels } from './listed-models.ts';

it('names the models of a provider that the price book lists', () => {
  expect(listedModels('openai')).toEqual(expect.arrayContaining(['gpt-4o', 'gpt-4o-mini']));
});

it('names none of a provider that it does not know, or that has no name there', () => {
  expect(listedModels('nobody')).toEqual([]);
  expect(listedModels(undefined)).toEqual([]);
});
