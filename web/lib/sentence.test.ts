import { expect, it } from 'vitest';
import { sentence } from './sentence.ts';

it('a remark becomes a sentence once', () => {
  expect(sentence('no request is on record yet')).toBe('No request is on record yet.');
  expect(sentence('No request is on record yet.')).toBe('No request is on record yet.');
  expect(sentence('there is "Squad"')).toBe('There is "Squad".');
});
