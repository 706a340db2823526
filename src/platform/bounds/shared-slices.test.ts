import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type GiveWay, SharedSlices } from './shared-slices.ts';

const { signal } = new AbortController();

/** Writes down each slice of some work. */
async function slicesOf(slices: SharedSlices, owner: string, count: number, log: string[]): Promise<void> {
  await slices.run(owner, signal, async (turn) => {
    for (let slice = 0; slice < count; slice += 1) {
      log.push(owner);
      await turn.giveWay();
    }
  });
}

describe('slices of several owners', () => {
  it('come in turns, however many works one of them has', async () => {
    const slices = new SharedSlices();
    const log: string[] = [];
    await Promise.all([...Array.from({ length: 5 }, () => slicesOf(slices, 'many', 4, log)), slicesOf(slices, 'one', 4, log)]);
    const [first, last] = [log.indexOf('one'), log.lastIndexOf('one')];
    expect(log.filter((owner) => owner === 'one')).toHaveLength(4);
    expect(log).toHaveLength(24);
    // One of the others between two of its own.
    expect(last - first).toBeLessThanOrEqual(6);
    expect(first).toBeLessThanOrEqual(2);
  });

  it('leave the loop to others in between', async () => {
    const slices = new SharedSlices();
    let others = 0;
    const isRunning = { now: true };
    const busy = slices.run('busy', signal, async (turn: GiveWay) => {
      for (let slice = 0; slice < 3; slice += 1) {
        while (!turn.isDue());
        await turn.giveWay();
      }
      isRunning.now = false;
    });
    while (isRunning.now) {
      await nextTurn();
      others += 1;
    }
    await busy;
    expect(others).toBeGreaterThan(3);
  });

  it('end with an error, and the next owner has its turn', async () => {
    const slices = new SharedSlices();
    await expect(slices.run('a', signal, () => Promise.reject(new Error('It failed.')))).rejects.toThrow('It failed.');
    await expect(slices.run('b', signal, () => Promise.resolve(1))).resolves.toBe(1);
  });
});
