import { expect, it } from 'vitest';
import { timeText } from './time-text.ts';

it.each([
  [0, '1970-01-01 00:00:00.000'],
  [-1, '1969-12-31 23:59:59.999'],
  [1_700_000_000_123, '2023-11-14 22:13:20.123'],
])('%i is written as its calendar time', (unixMs, text) => {
  expect(timeText(unixMs)).toBe(text);
});

it('what is no time is refused', () => {
  expect(() => timeText(Number.NaN)).toThrow(RangeError);
  expect(() => timeText(8.64e15 + 1000)).toThrow(RangeError);
});
