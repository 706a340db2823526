import { expect, it } from 'vitest';
import { Dice } from '../../../test/support/dice.ts';
import { timeText } from './time-text.ts';

it('a time is written as its calendar time, whatever was written before', () => {
  const seed = 20261121;
  const dice = new Dice(seed);
  for (let count = 0; count < 5000; count += 1) {
    // Few seconds that come again, some 64 seconds apart from each other, and any time of two centuries.
    const near = 1_770_000_000_000 + 64_000 * dice.below(3) + dice.below(3000);
    const unixMs = dice.below(2) === 0 ? near : dice.below(2 ** 31) * 3000 - 3_000_000_000_000;
    const expected = new Date(unixMs).toISOString().slice(0, 23).replace('T', ' ');
    expect(timeText(unixMs), `seed ${seed}, ${unixMs}`).toBe(expected);
  }
});

it('what is no time is refused', () => {
  expect(() => timeText(Number.NaN)).toThrow(RangeError);
  expect(() => timeText(8.64e15 + 1000)).toThrow(RangeError);
});
