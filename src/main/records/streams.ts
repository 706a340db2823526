import { Streams } from '../../api/stream/streams.ts';
import type { Config } from '../../config/load.ts';
import { StoredOrder } from '../../ingest/batch/stored-order.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';

/** Proxies commonly close a connection on which nothing comes for a minute. */
const aliveMs = 15_000;

/** @param lastNumber of the ingest's checkpoint; undefined without one, or in one of an earlier version. */
export async function openStoredOrder(lastNumber: number | undefined, store: Pick<Store, 'latestStoredNumber'>): Promise<StoredOrder> {
  return new StoredOrder(lastNumber ?? (await store.latestStoredNumber()) ?? StoredOrder.numberAt(systemClock.now()));
}

export function makeStreams(config: Config, order: StoredOrder): Streams {
  return new Streams({
    order,
    max: config.streams,
    // A client that reads nothing for so long is cut off; a sign of life in between shows that it reads.
    aliveMs: Math.min(aliveMs, config.clientStallTimeoutMs / 2),
    monotonic: systemClock.monotonic,
  });
}
