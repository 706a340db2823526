import { expect, it } from 'vitest';
import { figureText, formatChange } from './metric-format.ts';

it.each([
  ['all priced', { cost: 1.2, unpriced_count: 0 }, '$1.20'],
  ['a part without a price', { cost: 1.2, unpriced_count: 3 }, '≥ $1.20'],
  ['none with a price', { cost: 0, unpriced_count: 3 }, 'No price'],
  ['free', { cost: 0, unpriced_count: 0 }, '$0'],
])('money of requests, %s', (_name, figures, text) => {
  expect(figureText('cost', figures)).toBe(text);
});

it.each([
  [62, 100, '−38%'],
  [312, 100, '+212%'],
  [1, 0, 'new'],
  [0, 1, 'gone'],
  [1, null, ''],
])('%s after %s is a change of "%s"', (now, before, text) => {
  expect(formatChange(now, before)).toBe(text);
});
