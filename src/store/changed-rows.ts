import type { OrganizationId } from '../model/ids.ts';
import { type ChangeLog, noChangeLog, type StoredRow } from './read/change-log.ts';
import { RowChanges } from './read/row-changes.ts';

/**
 * # Who is told that stored requests were changed
 *
 * Every write of the store passes through here, in one order. What must outlive a kill is written down first: a write that cannot be written
 * down is not made, and one that is acknowledged is in the log. A kill between the two leaves a note of a write that was never made; who
 * reads it looks at the request and finds it as it was.
 *
 * Then the write is made, and what this process remembers is told, before the write is acknowledged and also when it failed, because part of
 * it may be visible. Telling fails no write: see {@link RowChanges}.
 */
export class ChangedRows {
  readonly told = new RowChanges();
  private readonly log: ChangeLog;

  constructor(log: ChangeLog = noChangeLog) {
    this.log = log;
  }

  /** Values of some requests. */
  values<Result>(organizationId: OrganizationId, rows: readonly StoredRow[], write: () => Promise<Result>): Promise<Result> {
    return this.log.during(organizationId, rows, () =>
      write().finally(() => {
        for (const { createdAt } of rows) this.told.markRow(organizationId, createdAt);
      }),
    );
  }

  /** Cost or usage of some requests. */
  amounts<Result>(organizationId: OrganizationId, rows: readonly StoredRow[], write: () => Promise<Result>): Promise<Result> {
    return this.log.during(organizationId, rows, () =>
      write().finally(() => {
        for (const { createdAt } of rows) this.told.markAmounts(organizationId, createdAt);
      }),
    );
  }

  /** Values of many requests, which `write` finds; it hands what it is about to change to {@link ChangeLog.during}. */
  many<Result>(organizationId: OrganizationId, write: (log: ChangeLog) => Promise<Result>): Promise<Result> {
    return write(this.log).finally(() => this.told.markOrganization(organizationId));
  }
}
