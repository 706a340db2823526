import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { rowsInTurns } from './rows-in-turns.ts';

/** Rows of an engine that works for some time before it puts them out. */
async function* putOut(count: number) {
  await wait(30);
  yield Array.from({ length: count }, (_, number) => ({ json: () => ({ number }) }));
}

test('few rows that took the engine long are there in the turn in which they come', async () => {
  let isLater = false;
  const rows = await rowsInTurns(putOut(2), 'owner', (row) => {
    setImmediate(() => (isLater = true));
    return { ...row, isDecoded: true };
  });
  expect(isLater).toBe(false);
  expect(rows).toEqual([
    { number: 0, isDecoded: true },
    { number: 1, isDecoded: true },
  ]);
});
