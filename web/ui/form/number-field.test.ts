import { expect, it } from 'vitest';
import { numberFault } from './number-field.tsx';

const days = { isWhole: true, min: 1, max: 36_500 };

it.each([
  ['', days, undefined],
  ['30', days, undefined],
  ['3.5', days, 'Write a whole number, such as 30.'],
  ['a week', days, 'This is not a number. Write a whole number, such as 30.'],
  ['0', days, 'Write at least 1.'],
  ['-1', { above: 0 }, 'Write more than 0.'],
  ['0', { above: 0 }, 'Write more than 0.'],
  ['1e32', { max: 100 }, 'Write at most 100.'],
  ['5m', {}, 'This is not a number. Write it as 1234.5.'],
  ['0.5', { min: 0, max: 100 }, undefined],
])('%j with %j: %s', (text, bounds, fault) => {
  expect(numberFault(text, bounds)).toBe(fault);
});
