import type { MetadataDatabase } from '../../metadata/database.ts';
import {
  appendPendingChanges,
  countPendingChanges,
  latestPendingNumber,
  listPendingChanges,
  listPendingSessions,
  removePendingChanges,
  type RequestReference,
} from '../../metadata/pending-changes.ts';
import type { AcceptedChange } from '../../model/change.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import { failureText } from '../../store/engine/failure.ts';
import type { TrackedExchange } from '../series/exchange.ts';

/** Changes by exchange, oldest first. */
export type ChangesByExchange = ReadonlyMap<TrackedExchange, readonly AcceptedChange[]>;

/** Changes of exchanges that the store does not have yet. */
export interface PendingChanges {
  /** Durable when it returns. */
  readonly append: (accepted: AcceptedChange) => Promise<void>;
  /** As {@link append}, for several at once. */
  readonly appendAll: (accepted: readonly AcceptedChange[]) => Promise<void>;
  /** As {@link appendAll}, without those that are pending already. */
  readonly appendMissing: (accepted: readonly AcceptedChange[]) => Promise<void>;
  /** The greatest number of a pending change; 0 without any. */
  readonly latestNumber: () => Promise<number>;
  /** The session into which pending changes moved a request, by request. */
  readonly sessionsOf: (organizationId: OrganizationId) => Promise<ReadonlyMap<RequestId, string>>;
  readonly listFor: (exchanges: readonly TrackedExchange[]) => Promise<ChangesByExchange>;
  /** Sequences of the pending changes of these requests. */
  readonly sequencesFor: (requests: readonly RequestReference[]) => Promise<readonly number[]>;
  /** Removes changes by sequence; missing ones do not matter, because sequences are never reused. */
  readonly remove: (sequences: readonly number[]) => Promise<void>;
}

/**
 * Pending changes in the metadata database. Caches whether any exist, so that a batch without changes, the usual case, needs no query.
 * Invariant: the cached state comes from a query, never from arithmetic: a missed change would be missing from its record.
 * @param spent sequences from the spool's checkpoint: the store or a dead letter has these changes, and a crash has kept them here. They
 * are removed first, because a replay of that letter would treat them as its own.
 */
export async function openPendingChanges(database: MetadataDatabase, spent: readonly number[]): Promise<PendingChanges> {
  await removePendingChanges(database, spent);
  let appends = 0;
  let runningAppends = 0;
  let isEmpty = (await countPendingChanges(database)) === 0;
  const refreshIsEmpty = async (): Promise<void> => {
    const appendsBefore = appends;
    const isQuiet = runningAppends === 0;
    const count = await countPendingChanges(database);
    isEmpty = count === 0 && isQuiet && appends === appendsBefore;
  };
  const appendAll = async (accepted: readonly AcceptedChange[]): Promise<void> => {
    if (accepted.length === 0) return;
    // Set before the write: a batch that is frozen meanwhile must not see an empty list.
    appends += 1;
    isEmpty = false;
    runningAppends += 1;
    try {
      await appendPendingChanges(database, accepted);
    } finally {
      runningAppends -= 1;
    }
  };
  return {
    append: (accepted) => appendAll([accepted]),
    appendAll,
    appendMissing: async (accepted) => {
      if (accepted.length === 0) return;
      const waiting = new Set((await listPendingChanges(database, accepted)).map((change) => numberedKeyOf(change.accepted)));
      await appendAll(accepted.filter((change) => !waiting.has(numberedKeyOf(change))));
    },
    latestNumber: () => latestPendingNumber(database),
    sessionsOf: async (organizationId) => (isEmpty ? new Map() : listPendingSessions(database, organizationId)),
    listFor: async (exchanges) => {
      if (isEmpty) return new Map();
      const byExchange = new Map<TrackedExchange, AcceptedChange[]>();
      const known = new Map(exchanges.map((exchange) => [keyOf(exchange), exchange]));
      for (const { accepted } of await listPendingChanges(database, exchanges)) {
        const exchange = known.get(keyOf(accepted));
        if (exchange === undefined) continue;
        const changes = byExchange.get(exchange) ?? [];
        changes.push(accepted);
        byExchange.set(exchange, changes);
      }
      return byExchange;
    },
    sequencesFor: async (requests) => (isEmpty ? [] : (await listPendingChanges(database, requests)).map(({ sequence }) => sequence)),
    remove: async (sequences) => {
      if (isEmpty) return;
      await removePendingChanges(database, sequences);
      await refreshIsEmpty();
    },
  };
}

/**
 * Changes that accepted batches have applied. Those batches are never repeated, so the removal is not urgent: while the database cannot be
 * written the changes stay, and every further checkpoint lists them again.
 */
export class AppliedChanges {
  private readonly ports: { readonly pendingChanges: Pick<PendingChanges, 'remove'>; readonly observe: Observe };
  private remaining: readonly number[] = [];

  constructor(ports: AppliedChanges['ports']) {
    this.ports = ports;
  }

  /** These sequences and those whose removal failed. */
  with(sequences: readonly number[]): readonly number[] {
    return [...this.remaining, ...sequences];
  }

  /** @returns false while any stays. */
  async forget(spent: readonly number[] = this.remaining): Promise<boolean> {
    if (spent.length === 0) return true;
    try {
      await this.ports.pendingChanges.remove(spent);
      this.remaining = [];
    } catch (error) {
      this.remaining = spent;
      this.ports.observe({ kind: 'pending_changes_kept', changes: spent.length, reason: failureText(error) });
    }
    return this.remaining.length === 0;
  }
}

/** A change of a session has one number for all its requests. */
function numberedKeyOf(accepted: AcceptedChange): string {
  return `${keyOf(accepted)} ${accepted.number}`;
}

function keyOf({ organizationId, requestId }: Pick<TrackedExchange, 'organizationId' | 'requestId'>): string {
  return `${organizationId}/${requestId}`;
}
