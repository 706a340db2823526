import { setTimeout as wait } from 'node:timers/promises';
import type { OrganizationId } from '../../model/ids.ts';
import { FairSemaphore } from '../../platform/fair-semaphore.ts';

/** Rows of a transaction, which blocks the process meanwhile. */
export const rowsAtOnce = 250;

/**
 * TRICKY: statements of SQLite end within microtasks, so that transactions of many callers would follow one another without a pause, however
 * short each is. So one slice at a time is worked at over all databases of the process, and organisations take turns.
 */
const turns = new FairSemaphore({
  units: 1,
  maxUnitsOfOwner: 1,
  maxWaitingOfOwner: Infinity,
  refusal: () => new Error('Too much work waits for the database of events.'),
});

/**
 * Works at many rows, a slice at a time, and rests behind each for as long as it took: the process has other work.
 * @param owner undefined: rows of all organisations. @param slice works at up to {@link rowsAtOnce} rows, and returns how many there were;
 * fewer: they were the last. @returns how many in all. @throws the abort reason when the signal aborts.
 */
export async function inTurns(owner: OrganizationId | undefined, slice: () => Promise<number>, signal?: AbortSignal): Promise<number> {
  for (let total = 0; ;) {
    signal?.throwIfAborted();
    const turn = await turns.acquire(1, { owner: owner ?? '', signal });
    try {
      const since = performance.now();
      const found = await slice();
      total += found;
      // The next one may be another's, so the last slice has its rest as well.
      if (found > 0) await wait(performance.now() - since);
      if (found < rowsAtOnce) return total;
    } finally {
      turn.release();
    }
  }
}
