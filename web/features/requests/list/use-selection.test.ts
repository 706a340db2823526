import { expect, test } from 'vitest';
import { maxSelected, selectedOf } from './use-selection.ts';

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_none, index) => `r${index}`);

test.each([
  ['nothing', [], 'none'],
  ['one of three', ['r1'], 'some'],
  ['one that is not among them', ['of another search'], 'some'],
  ['all three', ids(3), 'all'],
] as const)('of three requests %s', (_name, selected, state) => {
  expect(selectedOf(new Set(selected), ids(3))).toBe(state);
});

test('as many as may be selected at a time are all', () => {
  expect(selectedOf(new Set(ids(maxSelected)), ids(maxSelected + 10))).toBe('all');
});
