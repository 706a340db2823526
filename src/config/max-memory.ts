import type { Config } from './load.ts';
import { bytesAtRest, spanBytes } from './memory.ts';

/** Bodies that come to the API have half of what its answers have, beside it. */
const answersWithBodies = 1.5;
/** All organisations together, of what one has. */
const organizationsWithAll = 8;

/** What all processes take at rest and what the settings let them take on top, bytes. Heaps of JavaScript are not in it. */
export function maxMemoryBytes(config: Config): number {
  return (
    bytesAtRest(config.gatewayWorkers) +
    config.storeMemoryBytes +
    config.storeCacheBytes +
    config.apiAnswersMaxBytes * answersWithBodies +
    config.gatewayWorkers * config.heldBodiesBytes +
    config.alertGroupsMaxBytes * organizationsWithAll +
    config.otlpMemorySpans * spanBytes
  );
}
