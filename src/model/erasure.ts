import type { OrganizationId } from './ids.ts';

export const erasureCounts = ['requests', 'bodies', 'cache_entries', 'spool_records', 'dead_letters', 'blobs'] as const;
export type ErasureCounts = Readonly<Record<(typeof erasureCounts)[number], number>>;

/**
 * Progress of an erasure: what is done, and what its work now is. `ordered`: nothing; dead letters are counted. `lettersCounted`: they are
 * removed, so that none is replayed. `lettersErased`: once the spool has drained, the stored requests are listed. `listed`: they are removed.
 * `removed`: cached responses are counted. `cacheCounted`: they are removed. `cacheErased`: dead letters that arrived meanwhile are counted.
 * `lettersRecounted`: they are removed. `done`: nothing is left and the counts are final. Each removal is counted in an earlier stage, so an
 * interrupted erasure still reports the same counts.
 */
export type ErasureStage =
  | 'ordered'
  | 'lettersCounted'
  | 'lettersErased'
  | 'listed'
  | 'removed'
  | 'cacheCounted'
  | 'cacheErased'
  | 'lettersRecounted'
  | 'done';

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
