import { expect, it } from 'vitest';
import { Slices } from './slices.ts';

it('gives way once a slice is over, and not before', async () => {
  let others = 0;
  const other = setImmediate(() => (others += 1));
  const patient = new Slices(60_000);
  for (let step = 0; step < 100; step += 1) await patient.turn();
  expect(others).toBe(0);
  await new Slices(0).turn();
  expect(others).toBe(1);
  clearImmediate(other);
});
