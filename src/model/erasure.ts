import type { OrganizationId } from './ids.ts';

export const erasureCounts = ['requests', 'bodies', 'cache_entries', 'spool_records', 'dead_letters', 'blobs'] as const;
export type ErasureCounts = Readonly<Record<(typeof erasureCounts)[number], number>>;

/**
 * Progress of an erasure. `ordered`: dead letters are being counted. `counted`: they are being removed, so that none is replayed.
 * `awaited`: waiting for records still in the spool. `listed`: the stored requests are known and being removed. `removed`: they are gone;
 * cached responses are being counted. `weighed`: those are being removed. `forgotten`: dead letters that arrived meanwhile are being
 * counted. `recounted`: they are being removed. `done`: nothing is left and the counts are final. Each removal is counted in an earlier
 * stage, so an interrupted erasure still reports the same counts.
 */
export type ErasureStage = 'ordered' | 'counted' | 'awaited' | 'listed' | 'removed' | 'weighed' | 'forgotten' | 'recounted' | 'done';

/** Removes everything that one user sent up to a moment. */
export interface Erasure {
  readonly number: number;
  readonly organizationId: OrganizationId;
  readonly userId: string;
  /** Unix milliseconds. */
  readonly erasedAt: number;
  readonly stage: ErasureStage;
  readonly counts: ErasureCounts;
}
