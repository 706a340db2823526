import { expect, it } from 'vitest';
import { filterHeaders, headerValue, headerValues } from './header-list.ts';

const list = ['Accept', 'a', 'X-B', '1', 'accept', 'b', 'x-accept', 'accept'];

it('filters by lower-case name and by value, and keeps case and order', () => {
  expect(filterHeaders(list, (name) => name === 'accept')).toEqual(['Accept', 'a', 'accept', 'b']);
  expect(filterHeaders(list, (_name, value) => value !== 'a')).toEqual(['X-B', '1', 'accept', 'b', 'x-accept', 'accept']);
});

it('reads the values of a name and never takes a value for a name', () => {
  expect(headerValues(list, 'accept')).toEqual(['a', 'b']);
  expect(headerValue(list, 'accept')).toBe('a, b');
  expect(headerValue(list, '1')).toBeUndefined();
});
