import { expect, test } from 'vitest';
import { costText } from './cost-text.ts';

const failure = { kind: 'status', type: 'rate_limit', message: null } as const;

test.each([
  ['tokens without a price', { cost: null, failure: null, total_tokens: 12, model: 'x' }, 'No price'],
  ['a call that failed', { cost: null, failure, total_tokens: 12, model: 'x' }, '–'],
  ['nothing that could cost', { cost: null, failure: null, total_tokens: null, model: 'x' }, '–'],
  ['a tool', { cost: 0, failure: null, total_tokens: null, model: 'tool:clock' }, '–'],
  ['an answer from the cache', { cost: 0, failure: null, total_tokens: 12, model: 'x' }, '$0'],
  ['a call with a price', { cost: 0.5, failure: null, total_tokens: 12, model: 'x' }, '$0.50'],
])('the cost of %s', (_what, request, text) => {
  expect(costText(request)).toBe(text);
});
