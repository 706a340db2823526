import { Slices } from '../../platform/bounds/slices.ts';
import { assertBelowMaxFrames, type SeriesTail } from './tail.ts';

/** Max bytes of one read: a millisecond where frames are large, and some tens where they are small. */
const readBytes = 1024 * 1024;

/**
 * Reads all that is in the spool, and gives way meanwhile.
 * @throws GatelogError `store_unavailable` when that is more than may be held in memory.
 */
export async function readEverything(tails: ReadonlyMap<string, SeriesTail>, maxKnown: number): Promise<void> {
  const slices = new Slices();
  for (const tail of tails.values()) {
    if (tail.isReplaying()) tail.checkWriter();
    assertBelowMaxFrames(tails, maxKnown);
    while (tail.read(readBytes) >= readBytes) {
      await slices.turn();
      assertBelowMaxFrames(tails, maxKnown);
    }
  }
}

/** Reads for one slice of the event loop, of each series as far as is known to be enough. */
export function readSome(
  tails: Iterable<SeriesTail>,
  enough: { readonly rows: number; readonly frames: number },
): { readonly bytes: number; readonly more: boolean } {
  const slices = new Slices();
  let [bytes, more] = [0, false];
  for (const tail of tails) {
    const hasEnough = (): boolean => !tail.isReplaying() && tail.hasEnough(enough.rows, enough.frames);
    if (hasEnough()) continue;
    let last: number;
    do {
      last = tail.read(readBytes);
      bytes += last;
    } while (last >= readBytes && !hasEnough() && !slices.isOver());
    more ||= last >= readBytes;
  }
  return { bytes, more };
}
