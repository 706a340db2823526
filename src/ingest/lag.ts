import { readPayloads } from '../spool/payload-reader.ts';
import { readElapsed } from './interpret/assemble.ts';
import type { TrackedExchange } from './series/exchange.ts';
import type { SeriesTail } from './series/tail.ts';

/**
 * When the oldest exchange that waits for the store has ended, Unix milliseconds; `otherwise` when none waits. Of each series only the first
 * is looked at, whose end is the oldest there. One that was broken off says no end: the beginning stands for it. One whose beginning cannot be read
 * has no time and is passed over: it is on its way to the dead letters.
 */
export function oldestEnd(tails: readonly SeriesTail[], otherwise: number): number {
  let oldest = otherwise;
  for (const tail of tails) {
    const first = tail.waiting().find(({ openedAt }) => openedAt !== 0);
    if (first !== undefined) oldest = Math.min(oldest, first.openedAt + elapsedOf(first, tail.folder));
  }
  return oldest;
}

function elapsedOf({ frames }: TrackedExchange, folder: string): number {
  const last = frames.at(-1);
  if (last === undefined) return 0;
  try {
    const [payload = Buffer.alloc(0)] = readPayloads(folder, [last]);
    return readElapsed(last.kind, payload);
  } catch {
    // Not the frame that ends it, or damaged.
    return 0;
  }
}
