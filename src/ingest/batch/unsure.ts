import { statSync } from 'node:fs';
import path from 'node:path';
import { isLocked } from '../../platform/process-lock.ts';
import type { Checkpoint } from '../../spool/checkpoint.ts';
import { listSegments, listSeries } from '../../spool/segment.ts';
import { comparePositions, lockName, type Position, segmentName } from '../../spool/spool.ts';
import type { TrackedExchange } from '../series/exchange.ts';

/** Of each series how far the store may have what no checkpoint speaks of. */
export type Unsure = Readonly<Record<string, Position>>;

/** Behind every real position, and behind those of exchanges that no frame ends. */
const endOfAll: Position = { segment: 2 ** 41, offset: 0 };

/**
 * What the ingest begins with. Where the checkpoint is gone (a file that somebody removed, a folder that was put together by hand) nobody knows what of
 * the spool an earlier life has stored: the store is asked before anything is inserted that was there at this start. At a first start that is next to
 * nothing. It is known over further starts, as the checkpoint that is made then tells only from there on.
 */
export function unsureAtStart(checkpoint: Checkpoint, spoolFolder: string): Unsure {
  const { lastBatch, intended, unsure } = checkpoint;
  const series = listSeries(spoolFolder);
  if (unsure !== undefined) return Object.fromEntries(Object.entries(unsure).filter(([name]) => series.includes(name)));
  if (lastBatch > 0 || intended !== undefined) return {};
  return Object.fromEntries(series.map((name) => [name, endOf(path.join(spoolFolder, name))]));
}

/** Exchanges that a dead worker left open may be stored too; those of a live one have not ended for anybody. */
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

/** The later of two positions. */
export function later(one: Position | undefined, other: Position | undefined): Position | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return comparePositions(one, other) < 0 ? other : one;
}
