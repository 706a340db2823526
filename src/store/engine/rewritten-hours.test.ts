import { expect, test } from 'vitest';
import { RewrittenHours } from './rewritten-hours.ts';

const hourMs = 3_600_000;

test('hours are those that were noted behind a mark, each once', () => {
  const rewritten = new RewrittenHours();
  rewritten.note([5 * hourMs + 1]);
  const { mark } = rewritten;
  expect(rewritten.since(mark)).toEqual([]);
  rewritten.note([7 * hourMs + 1, 3 * hourMs, 7 * hourMs + 2]);
  expect(rewritten.since(mark)).toEqual([3 * hourMs, 7 * hourMs]);
  expect(rewritten.since(0)).toEqual([3 * hourMs, 5 * hourMs, 7 * hourMs]);
  rewritten.note([5 * hourMs]);
  expect(rewritten.since(mark)).toEqual([3 * hourMs, 5 * hourMs, 7 * hourMs]);
});

test('all are, once nobody knows where, or there are very many', () => {
  const rewritten = new RewrittenHours();
  const { mark } = rewritten;
  rewritten.noteAll();
  expect([rewritten.since(mark), rewritten.since(rewritten.mark)]).toEqual(['all', []]);
  rewritten.note(Array.from({ length: 10_001 }, (_, hour) => hour * hourMs));
  expect(rewritten.since(mark + 1)).toBe('all');
});
