import { expect, it } from 'vitest';
import { BatchInterval } from './interval.ts';

it.each([
  [0, 300],
  [75, 300],
  [100, 400],
  [150, 600],
  [5000, 600],
])('behind a batch of %i ms the next begins after %i ms', (storing, expected) => {
  const interval = new BatchInterval(300);
  interval.took(storing);
  expect(interval.ms()).toBe(expected);
});

it('is what it was once batches are quick again', () => {
  const interval = new BatchInterval(300);
  interval.took(5000);
  interval.took(20);
  expect(interval.ms()).toBe(300);
});
