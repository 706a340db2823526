import type { ErasurePorts, RetentionPorts } from '../api/ports.ts';
import type { Config } from '../config/load.ts';
import type { Drain } from '../ingest/drain.ts';
import { makeEraseDeadLetters } from '../ingest/erase-dead-letters.ts';
import { type ErasuresUnderWay, type RunningErasures, whenSpoolIsClear } from '../ingest/erasures.ts';
import type { RequestChanger } from '../ingest/request-changer.ts';
import { type ErasureBook, Erasures } from '../jobs/erasures.ts';
import { Retention } from '../jobs/retention.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import {
  addErasedExchanges,
  advanceErasure,
  countErasedExchanges,
  forgetErasure,
  forgetOldErasures,
  listUnfinishedErasures,
  orderErasure,
  wasErased,
} from '../metadata/erasures.ts';
import { listRetentions, readRetention, setRetention } from '../metadata/retention.ts';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';
import { placesOf } from './shared.ts';
import type { SharedState } from './shared-state.ts';

/** How long a caller is kept waiting for the receipt of an erasure, milliseconds. */
const receiptWaitMs = 25_000;
/** How long a receipt waits to be fetched, milliseconds. */
const receiptKeptMs = 30 * 86_400_000;

/** What the removal of records is made of. */
export interface RemovalParts {
  readonly config: Config;
  readonly observe: Observe;
  readonly database: MetadataDatabase;
  readonly store: Store;
  readonly state: SharedState;
  readonly underWay: RunningErasures;
}

/** What removes records: when they are too old, and when their user is erased. */
export interface Removals {
  readonly retentionPorts: RetentionPorts;
  readonly erasurePorts: ErasurePorts;
  /** Goes on with what was cut; to be called before the drain starts. */
  readonly start: () => Promise<void>;
  /** Runs `work`, which copies what is kept, while no erasure begins to change it. */
  readonly whileStandingStill: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly stop: () => Promise<void>;
}

/** What the ingest has to know of the erasures that run. */
export function erasuresFor(database: MetadataDatabase, underWay: RunningErasures): ErasuresUnderWay {
  return {
    of: (organizationId) => underWay.of(organizationId),
    keep: (erased) => addErasedExchanges(database, erased),
    wasErased: (exchange) => wasErased(database, exchange),
  };
}

/** Puts together what removes records. */
export function makeRemovals(parts: RemovalParts, drain: Drain, changer: RequestChanger): Removals {
  const { config, database } = parts;
  const retention = makeRetention(parts);
  const erasures = makeErasures(parts, drain, changer);
  return {
    retentionPorts: {
      deploymentDays: config.retentionDays,
      read: (organizationId) => readRetention(database, organizationId),
      set: (organizationId, days) => setRetention(database, { organizationId, days, at: systemClock.now() }),
    },
    erasurePorts: {
      erase: (organizationId, userId) => erasures.erase(organizationId, userId, receiptWaitMs),
      handedOver: (erasure) => erasures.handedOver(erasure),
    },
    start: async () => {
      await forgetUnfetched(parts);
      await erasures.resume();
      retention.start();
    },
    whileStandingStill: (work) => erasures.whileStandingStill(work),
    stop: async () => {
      await Promise.all([retention.stop(), erasures.stop()]);
    },
  };
}

/** A core starts also while nothing can be written here; the next start makes up for it. */
async function forgetUnfetched({ database, observe }: RemovalParts): Promise<void> {
  try {
    await forgetOldErasures(database, systemClock.now() - receiptKeptMs);
  } catch (error) {
    observe({ kind: 'job_failed', job: 'removal of receipts that nobody has fetched', reason: messageOf(error) });
  }
}

function makeRetention({ config, observe, database, store }: RemovalParts): Retention {
  return new Retention({
    deploymentDays: config.retentionDays,
    ownDays: () => listRetentions(database),
    removeExpired: store.removeExpired,
    intervalMs: config.retentionIntervalMs,
    now: systemClock.now,
    observe,
  });
}

function makeErasures(
  { config, observe, database, store, state, underWay }: RemovalParts,
  drain: Drain,
  changer: RequestChanger,
): Erasures {
  const { inFlight } = drain;
  return new Erasures({
    book: bookOf(database),
    targets: {
      ingest: { begin: (erasure) => underWay.add(erasure), end: (erasure) => underWay.remove(erasure) },
      whenSpoolIsClear: (erasure, signal) => whenSpoolIsClear({ catchUp: () => drain.catchUp(), inFlight }, erasure, signal),
      whenChangesAreOver: (organizationId) => changer.alone(organizationId, async () => undefined),
      store: store.erase,
      forgetReplies: ({ organizationId, userId }) => state.open().replies.forget(organizationId, userId),
      eraseDeadLetters: makeEraseDeadLetters(placesOf(config).deadLetters),
    },
    observe,
  });
}

function bookOf(database: MetadataDatabase): ErasureBook {
  return {
    order: (organizationId, userId, takesNew) => orderErasure(database, { organizationId, userId, at: systemClock.now(), takesNew }),
    unfinished: () => listUnfinishedErasures(database),
    advance: (number, reached) => advanceErasure(database, number, reached),
    countErased: (number) => countErasedExchanges(database, number),
    forget: (number) => forgetErasure(database, number),
  };
}
