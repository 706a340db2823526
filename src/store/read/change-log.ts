import type { OrganizationId, RequestId } from '../../model/ids.ts';

/** A stored request with its time, which locates it; Unix milliseconds. */
export interface StoredRow {
  readonly requestId: RequestId;
  readonly createdAt: number;
}

/** Where it is written down, for whoever must know whatever is killed, which stored requests a write changes. */
export interface ChangeLog {
  /** Whether anybody must know of the organisation's. */
  isWatched(organizationId: OrganizationId): boolean;
  /**
   * Writes the requests down, durable, then runs `write`; they count as changed once it has ended. @throws the error of `write`, or that the
   * requests cannot be written down: `write` is not run then.
   */
  during<Result>(organizationId: OrganizationId, rows: readonly StoredRow[], write: () => Promise<Result>): Promise<Result>;
}

export const noChangeLog: ChangeLog = { isWatched: () => false, during: (_organizationId, _rows, write) => write() };
