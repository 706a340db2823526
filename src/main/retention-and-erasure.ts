import { rmSync } from 'node:fs';
import type { ErasurePorts, RetentionPorts } from '../api/ports.ts';
import type { Config } from '../config/load.ts';
import type { DeadLetters } from '../ingest/dead-letters/store.ts';
import type { Drain } from '../ingest/drain.ts';
import { type ErasableLetters, makeErasableLetters, type RemoveOrphans } from '../ingest/dead-letters/erase.ts';
import { type Arrivals, type ActiveErasures, erasureCutoff, type RunningErasures, waitForSpoolDrain } from '../ingest/erasures.ts';
import type { RequestChanges } from '../ingest/changes/request-changes.ts';
import { TrustedClock } from '../jobs/believed-clock.ts';
import { type ErasureRepository, Erasures } from '../jobs/erasures.ts';
import { Retention } from '../jobs/retention.ts';
import { keepBelievedTime, readBelievedTime } from '../metadata/believed-time.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import {
  addErasedExchanges,
  advanceErasure,
  countErasedExchanges,
  emptyLog,
  forgetErasure,
  forgetOldErasures,
  listUnfinishedErasures,
  orderErasure,
  wasErased,
} from '../metadata/erasures.ts';
import { removeClaims } from '../metadata/request-ids.ts';
import { listRetentions, readRetention, setRetention } from '../metadata/organization/retention.ts';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { damagedStateFile } from '../state/lmdb.ts';
import type { Store } from '../store/store.ts';
import { dataPaths } from './shared.ts';
import type { SharedState } from './shared-state.ts';

/** How long a caller is kept waiting for the receipt of an erasure, milliseconds. */
const receiptWaitMs = 25_000;
/** An erasure tries again after that. */
const orphansWaitMs = 60_000;
/** How long a receipt waits to be fetched, milliseconds. */
const receiptKeptMs = 30 * 86_400_000;

/** What the removal of records is made of. */
export interface RemovalParts {
  readonly config: Config;
  readonly observe: Observe;
  readonly database: MetadataDatabase;
  readonly store: Store;
  readonly state: SharedState;
  readonly running: RunningErasures;
  readonly believedClock: TrustedClock;
  readonly letters: Pick<DeadLetters, 'recount'>;
  /** No call that is on record from before this start came later, Unix milliseconds. */
  readonly latestBefore: number;
}

/** What removes records: when they are too old, and when their user is erased. */
export interface Removals {
  readonly retentionPorts: RetentionPorts;
  readonly erasurePorts: ErasurePorts;
  /** Goes on with what was cut; to be called before the drain starts. */
  readonly start: () => Promise<void>;
  /** Runs `work`, which copies what is kept, while no erasure begins to change it. */
  readonly withPaused: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Removes what the store has of records that it refused, within a time from its turn on: one at a time with what else removes. */
  readonly removeOrphans: (records: Parameters<Store['removeOrphans']>[0], withinMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** What the ingest has to know of the erasures that run. */
export function erasuresFor(database: MetadataDatabase, running: RunningErasures): ActiveErasures {
  return {
    of: (organizationId) => running.of(organizationId),
    keep: (erased) => addErasedExchanges(database, erased),
    wasErased: (exchange) => wasErased(database, exchange),
  };
}

/** The clock by which a core removes. */
export function makeBelievedClock(database: MetadataDatabase, observe: Observe): TrustedClock {
  return new TrustedClock({
    clock: systemClock,
    readBelieved: () => readBelievedTime(database),
    keepBelieved: (at) => keepBelievedTime(database, at),
    observe,
  });
}

/** Puts together what removes records. */
export function makeRemovals(parts: RemovalParts, drain: Drain, changer: RequestChanges): Removals {
  const { config, database } = parts;
  const erasures = makeErasures(parts, drain, changer);
  const retention = makeRetention(parts, erasures);
  return {
    retentionPorts: {
      deploymentDays: config.retentionDays,
      read: (organizationId) => readRetention(database, organizationId),
      set: (organizationId, days) => setRetention(database, { organizationId, days, at: systemClock.now() }),
    },
    erasurePorts: {
      erase: (organizationId, userId) => erasures.erase(organizationId, userId, receiptWaitMs),
      acknowledge: (erasure) => erasures.acknowledge(erasure),
    },
    start: async () => {
      await erasures.resume();
      retention.start();
    },
    withPaused: (work) => erasures.withPaused(work),
    removeOrphans: (records, withinMs) => erasures.exclusive(() => parts.store.removeOrphans(records, AbortSignal.timeout(withinMs))),
    stop: async () => {
      await Promise.all([retention.stop(), erasures.stop()]);
    },
  };
}

function makeRetention({ config, observe, database, store, believedClock }: RemovalParts, erasures: Erasures): Retention {
  return new Retention({
    deploymentDays: config.retentionDays,
    ownDays: () => listRetentions(database),
    removeExpired: (expiry, signal) => erasures.exclusive(() => store.removeExpired(expiry, signal)),
    removeClaims: (expiry, signal) => removeClaims(database, expiry, signal),
    forgetReceipts: (now) => forgetOldErasures(database, now - receiptKeptMs),
    intervalMs: config.retentionIntervalMs,
    believedNow: () => believedClock.now(),
    observe,
  });
}

function makeErasures(parts: RemovalParts, drain: Drain, changer: RequestChanges): Erasures {
  const { observe, database, store, state, running, latestBefore } = parts;
  const { inFlight } = drain;
  const erasures: Erasures = new Erasures({
    book: bookOf(database, observe, async () => {
      // A call that is still unread in the spool may have come by a faster clock.
      await drain.catchUp();
      return { latestBefore, inFlight };
    }),
    targets: {
      ingest: { begin: (erasure) => running.add(erasure), end: (erasure) => running.remove(erasure) },
      waitForSpoolDrain: (erasure, signal) => waitForSpoolDrain({ catchUp: () => drain.catchUp(), inFlight }, erasure, signal),
      whenChangesAreOver: (organizationId) => changer.alone(organizationId, async () => undefined),
      store: store.erase,
      responses: {
        count: ({ organizationId, userId }) => state.open().responses.count(organizationId, userId),
        forget: ({ organizationId, userId }) => {
          // What was set aside is for nobody but who looks into it, and may have replies to anybody.
          rmSync(damagedStateFile(dataPaths(parts.config).state), { force: true });
          return state.open().responses.forget(organizationId, userId);
        },
      },
      letters: lettersOf(parts, (record) => erasures.exclusive(() => store.removeOrphans([record], AbortSignal.timeout(orphansWaitMs)))),
    },
    observe,
  });
  return erasures;
}

function lettersOf({ config, letters }: RemovalParts, removeRest: RemoveOrphans): ErasableLetters {
  const { count, erase } = makeErasableLetters(dataPaths(config).deadLetters, removeRest);
  return { count, erase: (erasure) => erase(erasure).finally(() => letters.recount()) };
}

function bookOf(database: MetadataDatabase, observe: Observe, arrivals: () => Promise<Arrivals>): ErasureRepository {
  return {
    order: async (organizationId, userId, takesNew) => {
      const known = await arrivals();
      return orderErasure(database, { organizationId, userId, at: erasureCutoff(systemClock.now(), known), takesNew });
    },
    unfinished: () => listUnfinishedErasures(database),
    advance: (number, reached) => advanceErasure(database, number, reached),
    countErased: (number) => countErasedExchanges(database, number),
    forget: async (number) => {
      await forgetErasure(database, number);
      try {
        await emptyLog(database);
      } catch (error) {
        // The receipt is handed over all the same, which would be lost otherwise; the next run of retention tries again.
        observe({ kind: 'job_failed', job: 'removal of an erased name from the log of the metadata database', reason: messageOf(error) });
      }
    },
  };
}
