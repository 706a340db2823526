import { statSync } from 'node:fs';
import path from 'node:path';
import { isLocked } from '../../platform/process-lock.ts';
import type { Checkpoint } from '../../spool/checkpoint.ts';
import { listSegments, listSeries } from '../../spool/segment.ts';
import { comparePositions, lockName, type Position, segmentName } from '../../spool/spool.ts';
import type { TrackedExchange } from '../series/exchange.ts';

/** Per series, the position up to which the store may have records that no checkpoint names. */
export type Unsure = Readonly<Record<string, Position>>;

/** After every real position, and after those of exchanges without an end frame. */
const endOfAll: Position = { segment: 2 ** 41, offset: 0 };

/**
 * Without a checkpoint (a removed file, a folder assembled by hand) an earlier process may have stored any part of the spool. The ingest
 * then queries the store before it inserts anything that was in the spool at this start. Later checkpoints contain the result, because
 * they name only what was stored after it.
 */
export function unsureAtStart(checkpoint: Checkpoint, spoolFolder: string): Unsure {
  const { lastBatch, intended, unsure } = checkpoint;
  const series = listSeries(spoolFolder);
  if (unsure !== undefined) return Object.fromEntries(Object.entries(unsure).filter(([name]) => series.includes(name)));
  if (lastBatch > 0 || intended !== undefined) return {};
  return Object.fromEntries(series.map((name) => [name, endOf(path.join(spoolFolder, name))]));
}

/** Open exchanges of a dead worker may be stored as well; those of a live one cannot. */
function endOf(folder: string): Position {
  const last = listSegments(folder).at(-1);
  if (last === undefined || !isLocked(path.join(folder, lockName))) return endOfAll;
  return { segment: last, offset: statSync(path.join(folder, segmentName(last))).size };
}

/** Whether the store may have some of these although no batch of this checkpoint had them. */
export function mayBeStored(unsure: Unsure, exchanges: readonly TrackedExchange[]): boolean {
  return exchanges.some(({ series, endsAt }) => {
    const to = unsure[series];
    return to !== undefined && endsAt !== undefined && comparePositions(endsAt, to) <= 0;
  });
}

export function laterPosition(one: Position | undefined, other: Position | undefined): Position | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return comparePositions(one, other) < 0 ? other : one;
}
