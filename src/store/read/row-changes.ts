import { type OrganizationId, uuidToNumber } from '../../model/ids.ts';
import { keyOfRow } from '../insert/row-key.ts';

export const hourMs = 3_600_000;

/** Hours and organisations that are kept apart; beyond them everything counts as changed. */
const maxHours = 10_000;
const maxOrganizations = 10_000;

/** What has changed since a number that was given before: everything, or the rows of these hours since 1970; the first one has all earlier time. */
export type ChangedHours = 'everything' | readonly number[];

/**
 * Called for each row that was inserted or changed, with its time, Unix milliseconds; without one any row of the organisation may be. Rows
 * that are removed are not told.
 */
export type WatchRows = (organization: bigint, createdAt: number | undefined) => void;

interface OrganizationChanges {
  /** The number of the latest change that may have touched any row. */
  latestForAll: number;
  readonly hours: Map<number, number>;
}

/**
 * Which rows of `requests` this process has written, so that caches of their columns know what to read again. A change is noted when it is
 * visible and before it is acknowledged: who reads the number before reading rows, and compares later, misses none. A watch that throws fails
 * no write and no other watch: with the next change it is told that any row of those organisations may have changed.
 */
export class RowChanges {
  /** Each with the organisations that it could not be told of. */
  private readonly watches = new Map<WatchRows, Set<bigint>>();
  private latest = 0;
  private ofAll = 0;
  private readonly organizations = new Map<bigint, OrganizationChanges>();

  /** The number of the latest change. */
  get number(): number {
    return this.latest;
  }

  since(organizationId: OrganizationId, number: number): ChangedHours {
    if (this.ofAll > number) return 'everything';
    const changes = this.organizations.get(uuidToNumber(organizationId));
    if (changes === undefined) return [];
    if (changes.latestForAll > number) return 'everything';
    return [...changes.hours].filter(([, at]) => at > number).map(([hour]) => hour);
  }

  watch(watch: WatchRows): void {
    this.watches.set(watch, new Set());
  }

  /** Its cost or usage was changed, which no cached column has. */
  markAmounts(organizationId: OrganizationId, createdAt: number): void {
    this.tell(uuidToNumber(organizationId), createdAt);
  }

  /** Rows of `rowsOf` for `requests`. */
  markInserted(rows: readonly Uint8Array[]): void {
    this.latest += 1;
    for (const row of rows) {
      if (row.length === 0) continue;
      const { organization, createdAt } = keyOfRow(row);
      this.markHour(organization, createdAt);
    }
  }

  /** @param createdAt the row's time, Unix milliseconds. */
  markRow(organizationId: OrganizationId, createdAt: number): void {
    this.latest += 1;
    this.markHour(uuidToNumber(organizationId), createdAt);
  }

  markOrganization(organizationId: OrganizationId): void {
    this.latest += 1;
    this.of(uuidToNumber(organizationId)).latestForAll = this.latest;
    this.tell(uuidToNumber(organizationId), undefined);
  }

  markAll(): void {
    this.latest += 1;
    this.ofAll = this.latest;
    this.organizations.clear();
  }

  private tell(organization: bigint, createdAt: number | undefined): void {
    for (const [watch, untold] of this.watches) {
      try {
        watch(organization, createdAt);
        for (const earlier of untold) {
          watch(earlier, undefined);
          untold.delete(earlier);
        }
      } catch {
        untold.add(organization);
      }
    }
  }

  private markHour(organization: bigint, createdAt: number): void {
    this.tell(organization, createdAt);
    const changes = this.of(organization);
    changes.hours.set(Math.max(0, Math.floor(createdAt / hourMs)), this.latest);
    if (changes.hours.size <= maxHours) return;
    changes.latestForAll = this.latest;
    changes.hours.clear();
  }

  private of(organization: bigint): OrganizationChanges {
    if (this.organizations.size >= maxOrganizations && !this.organizations.has(organization)) {
      this.ofAll = this.latest;
      this.organizations.clear();
    }
    const known = this.organizations.get(organization);
    if (known !== undefined) return known;
    const changes: OrganizationChanges = { latestForAll: 0, hours: new Map() };
    this.organizations.set(organization, changes);
    return changes;
  }
}
