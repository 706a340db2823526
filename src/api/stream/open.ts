import { Streams } from './streams.ts';
import type { Config } from '../../config/load.ts';
import type { StoredOrder } from '../../ingest/batch/stored-order.ts';
import { systemClock } from '../../platform/clock.ts';

/** Proxies commonly close a connection on which nothing comes for a minute. */
const aliveMs = 15_000;

export function makeStreams(config: Config, order: StoredOrder): Streams {
  return new Streams({
    order,
    max: config.streams,
    // A client that reads nothing for so long is cut off; a sign of life in between shows that it reads.
    aliveMs: Math.min(aliveMs, config.clientStallTimeoutMs / 2),
    monotonic: systemClock.monotonic,
  });
}
