import { expect, it } from 'vitest';
import { moodOf, moodOfMove } from './mood.ts';

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

it.each([
  ['one request that cost nearly all, of a new group', { now: 10.64, before: 0, requests: [1, 0] }, 'bad'],
  ['a few that cost as much as all before', { now: 5, before: 0.08, requests: [6, 9] }, 'bad'],
  ['a large part that is gone', { now: 0, before: 4, requests: [0, 3] }, 'good'],
  ['a little of all, though twice as much as before', { now: 0.09, before: 0.045, requests: [500, 500] }, 'neutral'],
  ['a part that grew by a half', { now: 0.9, before: 0.6, requests: [500, 500] }, 'bad'],
  ['a part that grew by a half with a handful of requests', { now: 0.9, before: 0.6, requests: [5, 5] }, 'neutral'],
] as const)('of $11 in all, %s: %j is %s', (_name, compared, mood) => {
  expect(moodOfMove(compared, 'less', 11)).toBe(mood);
});
