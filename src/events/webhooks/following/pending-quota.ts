import { countPending } from '../../log/positions.ts';
import type { EventsQueries } from '../../database/database.ts';
import { targetKey } from '../../log/target.ts';

/** A webhook without capacity is counted again after so long. */
export const fullCheckMs = 2000;

interface Known {
  /** At most so many are pending. */
  pending: number;
  /** Since when it has had no capacity, by the monotonic clock; it has some again at half of the maximum. */
  fullSince: number | undefined;
}

export interface PendingQuotaOptions {
  readonly database: EventsQueries;
  /** Pending deliveries of one webhook. */
  readonly maxPending: number;
  /** Milliseconds. */
  readonly monotonic: () => number;
}

/** Bounds the pending deliveries of each webhook. It counts them only when they may be too many. */
export class PendingQuota {
  private readonly options: PendingQuotaOptions;
  private readonly known = new Map<string, Known>();

  constructor(options: PendingQuotaOptions) {
    this.options = options;
  }

  /** Whether a webhook takes `more` deliveries. */
  async hasCapacity(webhookId: string, more: number): Promise<boolean> {
    const { database, maxPending, monotonic } = this.options;
    const known = this.known.get(webhookId);
    if (known !== undefined) {
      if (known.fullSince === undefined && known.pending + more <= maxPending) return true;
      if (known.fullSince !== undefined && monotonic() - known.fullSince < fullCheckMs) return false;
    }
    const pending = await countPending(database, targetKey({ kind: 'webhook', webhookId }));
    const wasFull = known?.fullSince !== undefined;
    const isFull = pending + more > maxPending || (wasFull && pending > maxPending / 2);
    this.known.set(webhookId, { pending, fullSince: isFull ? monotonic() : undefined });
    return !isFull;
  }

  added(webhookId: string): void {
    const known = this.known.get(webhookId);
    if (known !== undefined) known.pending += 1;
  }

  retain(webhookIds: ReadonlySet<string>): void {
    for (const id of this.known.keys()) if (!webhookIds.has(id)) this.known.delete(id);
  }
}
