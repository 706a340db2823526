import type { DrainPorts } from '../ports.ts';
import type { CountedBefore } from '../once/counted-before.ts';
import type { Batch } from './batch.ts';
import type { Failure, StorableRow } from './insert.ts';

interface Outcome {
  readonly rows: readonly StorableRow[];
  readonly refused: ReadonlyMap<number, Failure>;
  readonly countedBefore: ReadonlyMap<number, CountedBefore>;
}

/** Counts what was stored. Invariant: the batch is accepted, so it is never repeated, and nothing of it counts twice. */
export function noteStored(
  { exchanges }: Pick<Batch, 'exchanges'>,
  { rows, refused, countedBefore }: Outcome,
  { clock, noteVisible, noteSpend }: Pick<DrainPorts, 'clock' | 'noteVisible' | 'noteSpend'>,
): void {
  const visibleAt = clock.now();
  for (const { index, rows: written } of rows) {
    const organizationId = refused.has(index) ? undefined : exchanges[index]?.organizationId;
    if (organizationId === undefined) continue;
    const { endedAt, spend, awaited } = written;
    if (endedAt !== null) noteVisible(visibleAt - endedAt);
    const before = countedBefore.get(index);
    if (spend !== undefined && before !== 'all') noteSpend(organizationId, spend, { isAwaited: awaited !== undefined, before });
  }
}
