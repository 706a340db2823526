import type { Observe } from '../model/observation.ts';
import type { Clock } from '../platform/clock.ts';
import { type Batch, bytesOf } from './batch/batch.ts';
import type { Failure, StorableRow } from './batch/insert.ts';
import type { CountedBefore } from './once/counted-before.ts';
import type { SpendCounters } from './spend-counters.ts';

export interface StoredParts {
  readonly clock: Clock;
  readonly observe: Observe;
  readonly spendCounters: Pick<SpendCounters, 'count'>;
  /** Called once a record can be queried. @param delayMs since its exchange ended. */
  readonly onVisible: (delayMs: number) => void;
}

interface Outcome {
  readonly rows: readonly StorableRow[];
  readonly refused: ReadonlyMap<number, Failure>;
  readonly countedBefore: ReadonlyMap<number, CountedBefore>;
  /** Of a monotonic clock, milliseconds. */
  readonly startedAt: number;
}

/** Counts and tells what was stored. Invariant: the batch is accepted, so it is never repeated, and nothing of it counts twice. */
export function recordStored(
  { exchanges }: Pick<Batch, 'exchanges'>,
  { rows, refused, countedBefore, startedAt }: Outcome,
  { clock, observe, onVisible, spendCounters }: StoredParts,
): void {
  const visibleAt = clock.now();
  for (const { index, rows: written } of rows) {
    const organizationId = refused.has(index) ? undefined : exchanges[index]?.organizationId;
    if (organizationId === undefined) continue;
    const { endedAt, spend, awaited } = written;
    if (endedAt !== null) onVisible(visibleAt - endedAt);
    const before = countedBefore.get(index);
    if (spend !== undefined && before !== 'all') spendCounters.count(organizationId, spend, { isAwaited: awaited !== undefined, before });
  }
  const ms = Math.round(clock.monotonic() - startedAt);
  observe({ kind: 'batch_stored', requests: rows.length - refused.size, bytes: bytesOf(exchanges), ms });
}
