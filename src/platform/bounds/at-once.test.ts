import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { forEachAtOnce } from './at-once.ts';

test('so many are worked on at once and no more, in their order', async () => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  await forEachAtOnce([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    begun.push(item);
    running += 1;
    most = Math.max(most, running);
    await nextTurn();
    running -= 1;
  });
  expect([begun, most]).toEqual([[1, 2, 3, 4, 5, 6, 7], 3]);
});

test('the first failure ends the work, when what runs has ended', async () => {
  const done: number[] = [];
  const work = async (item: number): Promise<void> => {
    if (item === 1) throw new Error('the first fails');
    await nextTurn();
    done.push(item);
  };
  await expect(forEachAtOnce([1, 2, 3], 2, work)).rejects.toThrow('the first fails');
  expect(done).toEqual([2]);
});
