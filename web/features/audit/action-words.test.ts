import { expect, test } from 'vitest';
import { actionWords } from './action-words.ts';

test.each([
  ['revokeApiKey', 'Revoke API key'],
  ['setRequestProperties', 'Set request properties'],
  ['export', 'Export'],
])('%s is "%s"', (action, words) => {
  expect(actionWords(action)).toBe(words);
});
