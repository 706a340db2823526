import type { OrganizationId } from './ids.ts';

/** What an erasure has taken out, by where it was. */
export const erasureCounts = ['requests', 'bodies', 'cache_entries', 'spool_records', 'dead_letters', 'blobs'] as const;
export type ErasureCounts = Readonly<Record<(typeof erasureCounts)[number], number>>;

/**
 * How far an erasure has come: `ordered`: dead letters are counted; `counted`: they go, so that none is replayed; `awaited`: records that are on their
 * way are waited for; `listed`: those in the store are known and go; `removed`: they have gone, replies that were kept are counted; `weighed`: and
 * they go; `forgotten`: letters are counted that have come meanwhile; `recounted`: they go; `done`: nothing is left and every count is final.
 * What goes has been counted at a stage before, so that an erasure that is cut in the middle counts the same.
 */
export type ErasureStage = 'ordered' | 'counted' | 'awaited' | 'listed' | 'removed' | 'weighed' | 'forgotten' | 'recounted' | 'done';

/** All that came from one user up to a moment goes. */
export interface Erasure {
  readonly number: number;
  readonly organizationId: OrganizationId;
  readonly userId: string;
  /** Unix milliseconds. */
  readonly erasedAt: number;
  readonly stage: ErasureStage;
  readonly counts: ErasureCounts;
}
