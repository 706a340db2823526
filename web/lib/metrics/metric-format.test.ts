import { expect, it } from 'vitest';
import { figureText, formatChange, metricTitle } from './metric-format.ts';

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

it.each([
  ['avg_score.quality', 0.83333, 'Score quality, average', '0.8333'],
  ['avg_score.svc-score-feedback', 1, 'Feedback, average', '1'],
  ['avg_score.points', 1234.5, 'Score points, average', '1,235'],
  ['avg_score.points', -0.5, 'Score points, average', '−0.5'],
] as const)('the average of a score, %s', (metric, value, title, text) => {
  expect([metricTitle(metric), figureText(metric, { [metric]: value })]).toEqual([title, text]);
});
