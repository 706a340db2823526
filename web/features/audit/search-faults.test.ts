import { expect, it, test } from 'vitest';
import { searchFaults, searchOfTyped } from './search-faults.ts';

const noTime = 'Write a day such as 2026-01-31, or a time such as 2026-01-31T12:00Z.';

test.each([
  ['nothing', {}, {}],
  ['days', { since: '2026-01-31', before: ' 2026-02-01 ' }, {}],
  ['a time, and milliseconds', { since: '2026-01-31T12:00:00Z', before: '1769904000000' }, {}],
  ['no day', { since: '31.1.2026' }, { since: noTime }],
  ['a day that no month has', { before: '2026-02-31' }, { before: noTime }],
  ['an end before the start', { since: '2026-02-01', before: '2026-01-31' }, { before: 'Write a later time than that of “From”.' }],
  ['an end at the start', { since: '2026-02-01', before: '2026-02-01' }, { before: 'Write a later time than that of “From”.' }],
  ['an end behind no day', { since: 'January', before: '2026-01-31' }, { since: noTime }],
  ['a long text', { target: 'x'.repeat(513) }, { target: 'Write at most 512 characters.' }],
])('what is wrong with a search of the audit log: %s', (_title, typed, faults) => {
  expect(Object.fromEntries(Object.entries(searchFaults(typed)).filter(([, fault]) => fault !== undefined))).toEqual(faults);
});

it('a search asks for what is typed, without the space around it', () => {
  expect(searchOfTyped({ who: '', action: undefined, target: ' ', since: ' 2026-01-31 ' })).toEqual({ since: '2026-01-31' });
});
