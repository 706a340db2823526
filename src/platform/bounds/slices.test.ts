import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Slices } from './slices.ts';

it('gives way once a slice is over, and not before', async () => {
  let others = 0;
  const other = setImmediate(() => (others += 1));
  const patient = new Slices(undefined, 60_000);
  for (let step = 0; step < 100; step += 1) await patient.turn();
  expect(others).toBe(0);
  await new Slices(undefined, 0).turn();
  expect(others).toBe(1);
  clearImmediate(other);
});

it('of all owned work in slices, one slice has each turn of the loop, owners in turn', async () => {
  const order: string[] = [];
  let loopTurns = 0;
  const perTurn: number[] = [];
  const work = async (owner: string): Promise<void> => {
    const slices = new Slices(owner, 0);
    for (let slice = 0; slice < 3; slice += 1) {
      await slices.turn();
      order.push(owner);
      perTurn[loopTurns] = (perTurn[loopTurns] ?? 0) + 1;
    }
  };
  const over = new AbortController();
  const counted = (async () => {
    for (; !over.signal.aborted; loopTurns += 1) await nextTurn();
  })();
  await Promise.all([work('a'), work('a'), work('a'), work('b')]);
  over.abort();
  await counted;
  expect(Math.max(...perTurn.filter((count) => count !== undefined))).toBe(1);
  expect(order.indexOf('b')).toBeLessThanOrEqual(1);
  expect(order.lastIndexOf('b')).toBeLessThanOrEqual(6);
});
