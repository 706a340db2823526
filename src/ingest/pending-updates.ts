import type { MetadataDatabase } from '../metadata/database.ts';
import {
  appendPendingUpdate,
  countPendingUpdates,
  listPendingUpdates,
  type PropertyUpdate,
  removePendingUpdates,
} from '../metadata/pending-updates.ts';
import type { OpenExchange } from './open-exchange.ts';

/** Updates by exchange, of each the oldest first. */
export type UpdatesByExchange = ReadonlyMap<OpenExchange, readonly ReadonlyMap<string, string>[]>;

/** Property updates of exchanges that the store does not have yet. */
export interface PendingUpdates {
  /** Durable when it returns. */
  readonly append: (update: PropertyUpdate) => Promise<void>;
  readonly listFor: (exchanges: readonly OpenExchange[]) => Promise<UpdatesByExchange>;
  readonly removeFor: (exchanges: readonly OpenExchange[]) => Promise<void>;
}

/** Over the metadata database. Counts what waits there, so that the usual batch, without updates, asks nothing. */
export async function openPendingUpdates(database: MetadataDatabase): Promise<PendingUpdates> {
  let waiting = await countPendingUpdates(database);
  return {
    append: async (update) => {
      // Counted before it is written: a batch that is being sealed meanwhile must not think that there is nothing.
      waiting += 1;
      try {
        await appendPendingUpdate(database, update);
      } catch (error) {
        waiting -= 1;
        throw error;
      }
    },
    listFor: async (exchanges) => {
      if (waiting === 0) return new Map();
      const byExchange = new Map<OpenExchange, ReadonlyMap<string, string>[]>();
      const known = new Map(exchanges.map((exchange) => [keyOf(exchange), exchange]));
      for (const update of await listPendingUpdates(database, exchanges)) {
        const exchange = known.get(keyOf(update));
        if (exchange === undefined) continue;
        const own = byExchange.get(exchange) ?? [];
        own.push(update.properties);
        byExchange.set(exchange, own);
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

function keyOf({ organizationId, requestId }: Pick<OpenExchange, 'organizationId' | 'requestId'>): string {
  return `${organizationId}/${requestId}`;
}
