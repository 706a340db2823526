import { readPayloads } from '../spool/payload-reader.ts';
import { readElapsed } from './interpret/assemble.ts';
import type { TrackedExchange } from './series/exchange.ts';
import type { SeriesTail } from './series/tail.ts';

/**
 * When the oldest waiting exchange ended, Unix milliseconds; `otherwise` without one. Only the first of each series is read, because its
 * end is the oldest there. For an exchange that broke off its beginning counts. One without a readable beginning is skipped: it becomes a
 * dead letter.
 */
export function oldestEnd(tails: readonly SeriesTail[], fallback: number): number {
  let oldest = fallback;
  for (const tail of tails) {
    const first = tail.waiting().find(({ openedAt }) => openedAt !== 0);
    if (first !== undefined) oldest = Math.min(oldest, first.logged?.at ?? first.openedAt + elapsedOf(first, tail.folder));
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
    // Not an end frame, or a damaged one.
    return 0;
  }
}
