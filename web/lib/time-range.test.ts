import { expect, it } from 'vitest';
import { rangeSearchOf, timeRangeOf } from './time-range.ts';

const at = (text: string): number => Date.parse(text);
const now = at('2026-03-29T12:00:00Z');

it.each([
  ['today', 'Europe/Berlin', '2026-03-29T00:00:00+01:00'],
  ['today', 'America/Los_Angeles', '2026-03-29T00:00:00-07:00'],
  ['month', 'Europe/Berlin', '2026-03-01T00:00:00+01:00'],
  ['24h', 'Europe/Berlin', '2026-03-28T12:00:00Z'],
] as const)('%s in %s begins at %s', (range, zone, start) => {
  expect(timeRangeOf({ range }, now, zone)).toEqual({ from: at(start), to: undefined });
});

it('all time has no beginning, and two times are what they say', () => {
  expect(timeRangeOf({ range: 'all' }, now, 'UTC')).toEqual({ from: undefined, to: undefined });
  expect(timeRangeOf({ from: 1, to: 2 }, now, 'UTC')).toEqual({ from: 1, to: 2 });
});

it('of an address, only what is a time or a range is taken', () => {
  expect(rangeSearchOf({ range: '7d', from: 1.5, to: -1 })).toEqual({ range: '7d', from: 1.5, to: -1 });
  expect(rangeSearchOf({ range: 'constructor', from: 1e300, to: '5' })).toEqual({});
});
