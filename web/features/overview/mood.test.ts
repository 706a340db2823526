import { expect, it } from 'vitest';
import { moodOf } from './mood.ts';

it.each([
  ['a little more latency', { now: 101, before: 100, requests: [500, 500] }, 'neutral'],
  ['twice the latency', { now: 200, before: 100, requests: [500, 500] }, 'bad'],
  ['half the latency', { now: 50, before: 100, requests: [500, 500] }, 'good'],
  ['twice the latency of a handful of requests', { now: 200, before: 100, requests: [5, 5] }, 'neutral'],
  ['errors where there were none', { now: 3, before: 0, requests: [500, 500] }, 'bad'],
  ['a figure that nobody knew before', { now: 3, before: null, requests: [500, 500] }, 'neutral'],
] as const)('%s: %j is %s', (_name, compared, mood) => {
  expect(moodOf(compared, 'less')).toBe(mood);
});

it('more is good where more is better', () => {
  expect(moodOf({ now: 0.6, before: 0.3, requests: [50, 50] }, 'more')).toBe('good');
});
