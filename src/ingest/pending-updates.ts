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

/**
 * Over the metadata database. Remembers when nothing waits there, so that the usual batch, without updates, asks nothing.
 * Invariant: what is remembered was looked up, never reckoned: an update that is not counted would be missing from its record.
 */
export async function openPendingUpdates(database: MetadataDatabase): Promise<PendingUpdates> {
  let appends = 0;
  let appendsUnderWay = 0;
  let isEmpty = (await countPendingUpdates(database)) === 0;
  const lookAgain = async (): Promise<void> => {
    const before = appends;
    const isQuiet = appendsUnderWay === 0;
    const count = await countPendingUpdates(database);
    isEmpty = count === 0 && isQuiet && appends === before;
  };
  return {
    append: async (update) => {
      // Set before it is written: a batch that is being sealed meanwhile must not think that there is nothing.
      appends += 1;
      isEmpty = false;
      appendsUnderWay += 1;
      try {
        await appendPendingUpdate(database, update);
      } finally {
        appendsUnderWay -= 1;
      }
    },
    listFor: async (exchanges) => {
      if (isEmpty) return new Map();
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
      if (isEmpty) return;
      await removePendingUpdates(database, await listPendingUpdates(database, exchanges));
      await lookAgain();
    },
  };
}

function keyOf({ organizationId, requestId }: Pick<OpenExchange, 'organizationId' | 'requestId'>): string {
  return `${organizationId}/${requestId}`;
}
