import { describe, expect, it } from 'vitest';
import { alignDecimals } from './decimals.ts';
import { alignCosts, formatAmount, formatCost, formatDuration, formatTokens } from './format.ts';

describe('money', () => {
  it.each([
    [null, '–'],
    [0, '$0'],
    [12.345, '$12.35'],
    [0.09, '$0.09'],
    [0.17, '$0.17'],
    [0.173, '$0.173'],
    [0.0123, '$0.0123'],
    [0.000_001_23, '$0.00000123'],
  ])('%s is %s', (value, text) => {
    expect(formatCost(value)).toBe(text);
  });
});

const aligned = (...costs: readonly (number | null)[]) => alignCosts(costs.map(formatCost), costs);

describe('money of a column', () => {
  it('has as many decimals as the cost that needs most', () => {
    expect(aligned(24.9123, 0.0357, 0.02, 0, null)).toEqual(['$24.9123', '$0.0357', '$0.0200', '$0.0000', '–']);
    expect(aligned(0.68, 0.148)).toEqual(['$0.680', '$0.148']);
    expect(aligned(1234.5, 2, 0)).toEqual(['$1,234.50', '$2.00', '$0.00']);
  });

  it('has at most four, unless the highest needs more; what is less is said to be', () => {
    expect(aligned(12.5, 0.000_01)).toEqual(['$12.5000', '<$0.0001']);
    expect(aligned(0.000_123, 0.000_001)).toEqual(['$0.000123', '$0.000001']);
  });

  it('keeps what stands beside it, and a text without it', () => {
    expect(alignCosts(['≥ $0.02', 'No price', '$0.0357'], [0.02, 0, 0.0357])).toEqual(['≥ $0.0200', 'No price', '$0.0357']);
  });
});

describe('durations', () => {
  it.each([
    [350, '350 ms'],
    [3800, '3.80 s'],
    [3040, '3.04 s'],
    [12_300, '12.30 s'],
    [185_000, '3 min 5 s'],
  ])('%s ms is %s', (value, text) => {
    expect(formatDuration(value)).toBe(text);
  });
});

describe('decimals of a column', () => {
  const [digit, point] = ['\u2007', '\u2008'];

  it('stand below one another', () => {
    expect(alignDecimals(['$12.34', '$0.173', '$0', '–'])).toEqual([`$12.34${digit}`, '$0.173', `$0${point}${digit.repeat(3)}`, '–']);
  });

  it('have a unit of their own to be told by', () => {
    expect(alignDecimals(['350 ms', '3.80 s', '12 %', '4.5 %'])).toEqual(['350 ms', '3.80 s', `12${point}${digit} %`, '4.5 %']);
  });

  it('are no marks between thousands', () => {
    expect(alignDecimals(['1,234', '5'])).toEqual(['1,234', '5']);
  });
});

describe('numbers of things', () => {
  it.each([
    [0, '0 requests'],
    [1, '1 request'],
    [2, '2 requests'],
    [1239, '1,239 requests'],
  ])('%s', (count, text) => {
    expect(formatAmount(count, 'request')).toBe(text);
  });

  it('one token is written without a plural', () => {
    expect([formatTokens(1), formatTokens(2)]).toEqual(['1 token', '2 tokens']);
  });
});
