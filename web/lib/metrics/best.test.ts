import { expect, test } from 'vitest';
import { bestOf } from './best.ts';
import type { Figures, Group } from './groups.ts';

const by = ['prompt', 'prompt_version'] as const;
const group = (prompt: string, version: string, figures: Figures): Group => ({ key: [prompt, version], figures });
const ids = (groups: readonly Group[], metric: 'avg_cost' | 'count' | 'error_rate' | 'avg_score.quality') => [
  ...(bestOf(groups, by, [metric]).get(metric) ?? []),
];

test('the cheapest, most reliable and highest rated version of each prompt is the best of its versions', () => {
  const groups = [
    group('a', '1', { avg_cost: 2, error_rate: 0, 'avg_score.quality': 3 }),
    group('a', '2', { avg_cost: 1, error_rate: 0.5, 'avg_score.quality': 4 }),
    group('b', '1', { avg_cost: 9 }),
    group('b', '2', { avg_cost: 8 }),
  ];
  expect(ids(groups, 'avg_cost')).toEqual(['["a","2"]', '["b","2"]']);
  expect(ids(groups, 'error_rate')).toEqual(['["a","1"]']);
  expect(ids(groups, 'avg_score.quality')).toEqual(['["a","2"]']);
});

test('none is of one version alone, of equal ones, of what is not known, or of a number of requests', () => {
  expect(ids([group('a', '1', { avg_cost: 1 })], 'avg_cost')).toEqual([]);
  expect(ids([group('a', '1', { avg_cost: 1 }), group('a', '2', { avg_cost: 1 })], 'avg_cost')).toEqual([]);
  expect(ids([group('a', '1', { avg_cost: 1 }), group('a', '2', { avg_cost: null })], 'avg_cost')).toEqual([]);
  expect(ids([group('a', '1', { count: 1 }), group('a', '2', { count: 2 })], 'count')).toEqual([]);
});

test('groups of other dimensions are not tried against one another', () => {
  const groups = [group('a', '1', { avg_cost: 1 }), group('a', '2', { avg_cost: 2 })];
  expect(bestOf(groups, ['prompt', 'user'], ['avg_cost']).size).toBe(0);
});
