import { expect, test } from 'vitest';
import { costStateOf, costText } from './cost-text.ts';

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

test.each([
  ['was never priced', { total: null, recomputed_total: null, differs: false }, 'never priced'],
  ['was stored before its model had a price', { total: null, recomputed_total: 0.25, differs: true }, 'priced since'],
  ['was priced otherwise', { total: 0.2, recomputed_total: 0.25, differs: true }, 'changed since'],
  ['is as prices are', { total: 0.25, recomputed_total: 0.25, differs: false }, 'current'],
  ['cost nothing before its model had a price', { total: 0, recomputed_total: 0.25, differs: true }, 'changed since'],
] as const)('a request that %s', (_what, cost, state) => {
  expect(costStateOf(cost)).toBe(state);
});
