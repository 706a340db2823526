import { setTimeout as wait } from 'node:timers/promises';
import type { Connections } from '../engine/connections.ts';
import type { LaneName } from '../engine/lanes.ts';

/** Reads for which somebody waits. */
export const foregroundLanes: ReadonlySet<LaneName> = new Set(['short', 'long', 'large']);
const pollMs = 2;
/** A read in the background lets others go first for so long. */
const maxYieldMs = 100;

/** Returns when no other read runs, or after a while. */
export async function untilOthersRead({ lanes }: Pick<Connections, 'lanes'>): Promise<void> {
  const isQuiet = (): boolean => lanes().every(({ name, busy, waiting }) => busy + waiting === 0 || !foregroundLanes.has(name));
  for (const since = performance.now(); !isQuiet() && performance.now() - since < maxYieldMs;) await wait(pollMs);
}
