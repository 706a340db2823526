import { describe, expect, test } from 'vitest';
import { moneyBoundsOfUsd, moneyOfUsd, moneyText, parseMoney } from './money.ts';

describe('the amounts around a number of dollars', () => {
  test.each([
    [0, '0.000000000000', '0.000000000000'],
    [-0, '0.000000000000', '0.000000000000'],
    [0.3, '0.300000000000', '0.300000000000'],
    [0.1 + 0.2, '0.300000000000', '0.300000000001'],
    [4e-13, '0.000000000000', '0.000000000001'],
    [6e-13, '0.000000000000', '0.000000000001'],
    [1e-12, '0.000000000001', '0.000000000001'],
    [1.4e-12, '0.000000000001', '0.000000000002'],
    [-4e-13, '-0.000000000001', '0.000000000000'],
    [-1.4e-12, '-0.000000000002', '-0.000000000001'],
    [5e-324, '0.000000000000', '0.000000000001'],
    [1e25, `1${'0'.repeat(25)}.000000000000`, `1${'0'.repeat(25)}.000000000000`],
  ])('%d', (usd, floor, ceil) => {
    const bounds = moneyBoundsOfUsd(usd);
    expect(bounds && [bounds.floor, bounds.ceil].map(moneyText)).toEqual([floor, ceil]);
  });

  test.each([1e26, -1e26, 1e300, Number.MAX_VALUE, Infinity, Number.NaN])('%d is beyond every amount', (usd) => {
    expect(moneyBoundsOfUsd(usd)).toBeUndefined();
  });
});

describe('an amount from text', () => {
  test.each([
    ['0.0123', '0.012300000000'],
    ['1.5e-7', '0.000000150000'],
    ['4.9e-13', '0.000000000000'],
    ['5e-13', '0.000000000001'],
    ['-5e-13', '-0.000000000001'],
    ['1e-9999', '0.000000000000'],
    ['.5', '0.500000000000'],
    ['0e99', '0.000000000000'],
  ])('%s', (text, expected) => {
    const money = parseMoney(text);
    expect(money !== undefined && moneyText(money)).toBe(expected);
  });

  test.each(['', '.', 'e5', '0x1', 'NaN', '1e27', '1e9999', '1,5'])('%j is none', (text) => {
    expect(parseMoney(text)).toBeUndefined();
  });

  test('from a number rounds to the nearest', () => {
    expect(moneyOfUsd(6e-13)).toBe(1n);
    expect(moneyOfUsd(Number.NaN)).toBeUndefined();
  });
});
