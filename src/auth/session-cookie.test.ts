import { expect, test } from 'vitest';
import { withoutSessionCookies } from './session-cookie.ts';

test.each([
  ['a=1; b=2', 'a=1; b=2'],
  ['a=1;  b="x;y"', 'a=1;  b="x;y"'],
  ['gatelog_session_b369e50e=secret', undefined],
  ['a=1; gatelog_session_b369e50e=secret; b=2', 'a=1; b=2'],
  ['gatelog_session_00000000=x;a=gatelog_session_1;gatelog_session_11111111=y', 'a=gatelog_session_1'],
  ['a=1,gatelog_session_b369e50e=secret,b="x,y"', 'a=1,b="x,y"'],
  ['a=1; $Version=1, gatelog_session_b369e50e=secret; b=2', 'a=1; $Version=1; b=2'],
  ['"gatelog_session_b369e50e=secret"', undefined],
  ['"gatelog_session_b369e50e"="secret"; a=1', 'a=1'],
  ['gatelog_session_b369e50e = secret; a=1', 'a=1'],
  ['GATELOG_SESSION_B369E50E=secret;Gatelog_Session_b369e50e=secret; A=1', 'A=1'],
  ['a="x; gatelog_session_b369e50e=secret"; b=2', 'a="x; b=2'],
  ['a=1 gatelog_session_b369e50e=secret', undefined],
  ['gatelog_session_b369e50e=secret,', undefined],
])('of the cookies %s, %s go on', (value, passed) => {
  expect(withoutSessionCookies(value)).toBe(passed);
});
