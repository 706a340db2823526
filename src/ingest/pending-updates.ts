import { appendPendingUpdate, countPendingUpdates, listPendingUpdates, type PropertyUpdate, removePendingUpdates } from '../metadata/pending-updates.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import type { OpenExchange } from './open-exchange.ts';

/** Property updates of exchanges that the store does not have yet. */
export interface PendingUpdates {
  /** Durable when it returns. */
  readonly append: (update: PropertyUpdate) => Promise<void>;
  /** The updates of each exchange, oldest first. */
  readonly listFor: (exchanges: readonly OpenExchange[]) => Promise<ReadonlyMap<OpenExchange, readonly ReadonlyMap<string, string>[]>>;
  readonly removeFor: (exchanges: readonly OpenExchange[]) => Promise<void>;
}

/** Over the metadata database. Counts what waits there, so that the usual batch, without updates, asks nothing. */
export async function openPendingUpdates(database: MetadataDatabase): Promise<PendingUpdates> {
  let waiting = await countPendingUpdates(database);
  return {
    append: async (update) => {
      waiting += 1;
      await appendPendingUpdate(database, update);
    },
    listFor: async (exchanges) => {
      if (waiting === 0) return new Map();
      const updates = await listPendingUpdates(database, exchanges);
      const byExchange = new Map<OpenExchange, ReadonlyMap<string, string>[]>();
      for (const exchange of exchanges) {
        const own = updates.filter(({ organizationId, requestId }) => organizationId === exchange.organizationId && requestId === exchange.requestId);
        if (own.length > 0) byExchange.set(exchange, own.map(({ properties }) => properties));
      }
      return byExchange;
    },
    removeFor: async (exchanges) => {
      if (waiting === 0) return;
      const updates = await listPendingUpdates(database, exchanges);
      await removePendingUpdates(database, updates);
      waiting -= updates.length;
    },
  };
}
