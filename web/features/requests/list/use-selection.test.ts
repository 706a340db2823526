import { expect, test } from 'vitest';
import { maxSelected, oldestFirst, type Selectable, selectedOf, type SelectedRequests } from './use-selection.ts';

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_none, index) => `r${index}`);
const requests = (count: number): readonly Selectable[] => ids(count).map((id) => ({ request_id: id, request_created_at: '' }));
const selection = (selected: readonly string[]): SelectedRequests => new Map(selected.map((id) => [id, '']));

test.each([
  ['nothing', [], 'none'],
  ['one of three', ['r1'], 'some'],
  ['one that is not among them', ['of another search'], 'some'],
  ['all three', ids(3), 'all'],
] as const)('of three requests %s', (_name, selected, state) => {
  expect(selectedOf(selection(selected), requests(3))).toBe(state);
});

test('as many as may be selected at a time are all', () => {
  expect(selectedOf(selection(ids(maxSelected)), requests(maxSelected + 10))).toBe('all');
});

test('the oldest stands first, in whichever order they were selected', () => {
  const [older, newer] = [['older', '2026-03-01T10:00:00.000Z'] as const, ['newer', '2026-03-02T09:00:00.000Z'] as const];
  expect(oldestFirst(new Map([newer, older]))).toEqual(['older', 'newer']);
  expect(oldestFirst(new Map([older, newer]))).toEqual(['older', 'newer']);
});
