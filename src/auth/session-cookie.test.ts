import { expect, test } from 'vitest';
import { withoutSessionCookies } from './session-cookie.ts';

test.each([
  ['a=1; b=2', 'a=1; b=2'],
  ['a=1;  b="x;y"', 'a=1;  b="x;y"'],
  ['gatelog_session_b369e50e=secret', undefined],
  ['a=1; gatelog_session_b369e50e=secret; b=2', 'a=1; b=2'],
  ['gatelog_session_00000000=x;a=gatelog_session_1;gatelog_session_11111111=y', 'a=gatelog_session_1'],
])('of the cookies %s, %s go on', (value, passed) => {
  expect(withoutSessionCookies(value)).toBe(passed);
});
