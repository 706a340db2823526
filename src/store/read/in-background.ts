import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Connections, LaneName } from '../engine/connections.ts';

/** Reads for which somebody waits. */
const foregroundLanes: ReadonlySet<LaneName> = new Set(['short', 'long', 'large']);
const pollMs = 2;
/** A read in the background lets others go first for so long. */
const maxYieldMs = 100;

/** Returns when no other read runs, or after a while. */
export async function untilOthersRead({ lanes }: Pick<Connections, 'lanes'>): Promise<void> {
  const isQuiet = (): boolean => lanes().every(({ name, busy, waiting }) => busy + waiting === 0 || !foregroundLanes.has(name));
  for (const since = performance.now(); !isQuiet() && performance.now() - since < maxYieldMs;) await wait(pollMs);
}

/** A millisecond or two of work. */
const charactersInTurn = 128 * 1024;

/** Parses rows of JSONEachRow a few at a time: other calls run in between. */
export async function rowsInTurns<Row>(text: string, decode: (row: Record<string, unknown>) => Row): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let sinceTurn = 0;
  for (let at = 0; at < text.length;) {
    const lineEnd = text.indexOf('\n', at);
    const end = lineEnd === -1 ? text.length : lineEnd;
    rows.push(decode(JSON.parse(text.slice(at, end)) as Record<string, unknown>));
    sinceTurn += end - at;
    at = end + 1;
    if (sinceTurn < charactersInTurn) continue;
    sinceTurn = 0;
    await nextTurn();
  }
  return rows;
}
