import { expect, it } from 'vitest';
import type { AskedMetric } from '../../../src/model/vocabulary/metrics.ts';
import { countsAll, type GroupRequests, requestsOfFigure, requestsOfGroup, requestsOfMetric } from './requests-of.ts';

const range = { from: 1000, to: 2000 };
const group: GroupRequests = { q: 'user:ann', range, by: ['properties.Team'], key: ['search'] };

it('a group is the search of its page with its own condition, in the same time', () => {
  expect(requestsOfGroup(group)).toEqual({ ...range, q: 'user:ann Team:search' });
  expect(requestsOfGroup({ ...group, q: undefined, key: [null] })).toEqual({ ...range, q: 'Team:""' });
  expect(requestsOfGroup({ ...group, by: [], key: [] })).toEqual({ ...range, q: 'user:ann' });
  expect(requestsOfGroup({ ...group, q: undefined, by: [], key: [] })).toEqual({ ...range, q: undefined });
});

it.each([
  ['an hour of the day', ['hour_of_day'], [7]],
  ['one of its values', ['model', 'weekday'], ['gpt-4o', 2]],
])('no search says %s', (_what, by, key) => {
  expect(requestsOfGroup({ ...group, by, key })).toBeUndefined();
});

it.each([
  ['cost', 'user:ann Team:search', true],
  ['p95_latency', 'user:ann Team:search', true],
  ['avg_score.quality', 'user:ann Team:search', true],
  ['errors', 'user:ann Team:search failed:true', false],
  ['left', 'user:ann Team:search status:499', false],
  ['cached_count', 'user:ann Team:search cached:true', false],
  ['threats', 'user:ann Team:search threat:true', false],
  ['unpriced_count', undefined, false],
] as const satisfies readonly (readonly [AskedMetric, string | undefined, boolean])[])('%s counts %s', (metric, q, isAll) => {
  expect(requestsOfMetric(group, metric)?.q).toBe(q);
  expect(countsAll(metric)).toBe(isAll);
});

it('what is not known, and a number of no requests, leads nowhere', () => {
  expect(requestsOfFigure(group, 'p95_latency', null)).toBeUndefined();
  expect(requestsOfFigure(group, 'cost', undefined)).toBeUndefined();
  expect(requestsOfFigure(group, 'errors', 0)).toBeUndefined();
  // Requests that cost nothing are requests.
  expect(requestsOfFigure(group, 'cost', 0)).toEqual({ ...range, q: 'user:ann Team:search' });
});
