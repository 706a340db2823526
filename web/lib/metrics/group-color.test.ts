import { expect, it } from 'vitest';
import { groupSeries } from './chart-series.ts';
import type { GroupCourse } from './groups.ts';

const coursesOf = (...kinds: readonly string[]): readonly GroupCourse[] => kinds.map((kind) => ({ key: [kind], course: new Map() }));
const options = { metric: 'errors', starts: [0], whole: undefined } as const;

const colorsOf = (courses: readonly GroupCourse[]) =>
  new Map(groupSeries(courses, { ...options, by: ['failure_type'] }).map(({ title, color }) => [title, color]));

it('a kind of failure has its colour in whatever order kinds come, and none is green', () => {
  const kinds = ['invalid_request_error', 'rate_limit_error', 'overloaded_error', 'server_error', 'timeout', ''];
  const colors = colorsOf(coursesOf(...kinds));
  expect(new Set(colors.values()).size).toBe(kinds.length);
  expect([...colors.values()].filter((color) => color === 1 || color === 5)).toEqual([]);
  expect(colorsOf(coursesOf('timeout', 'rate_limit_error')).get('rate_limit_error')).toBe(colors.get('rate_limit_error'));
});

it('other groups have theirs by their place', () => {
  expect(groupSeries(coursesOf('b', 'a'), { ...options, by: ['model'] }).map(({ color }) => color)).toEqual([1, 2]);
});
