import { rmSync } from 'node:fs';
import type { Erasure } from '../model/erasure.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { Config } from '../config/load.ts';
import type { DeadLetters } from '../ingest/dead-letters/store.ts';
import type { Drain } from '../ingest/drain.ts';
import { type ErasableLetters, makeErasableLetters, type RemoveOrphans } from '../ingest/dead-letters/erase.ts';
import { type Arrivals, erasureCutoff, type RunningErasures, waitForSpoolDrain } from '../ingest/changes/erasures.ts';
import type { RequestChanges } from '../ingest/changes/request-changes.ts';
import { TrustedClock } from './trusted-clock.ts';
import { type ErasureRepository, Erasures } from './erasures.ts';
import { BodyMove } from './move-bodies.ts';
import { Retention } from './retention.ts';
import { storeTrustedTime, readTrustedTime } from '../metadata/trusted-time.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import type { EventsDatabase } from '../events/database/database.ts';
import { removeExpiredDeliveries } from '../events/log/erase.ts';
import type { EraseDeliveries } from '../events/erase-deliveries.ts';
import {
  advanceErasure,
  countErasedExchanges,
  forgetErasure,
  forgetOldErasures,
  listUnfinishedErasures,
  orderErasure,
} from '../metadata/erasures.ts';
import { forgetOldJobs, forgetUserInJobs } from '../metadata/jobs.ts';
import { removeClaims } from '../metadata/request-ids.ts';
import { listRetentions, readRetention, setRetention } from '../metadata/organization/retention.ts';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { emptyLog } from '../platform/sqlite/database.ts';
import { damagedStateFile } from '../state/state-files.ts';
import type { Store } from '../store/store.ts';
import { dataPaths } from '../config/data-paths.ts';
import type { SharedState } from '../state/shared-state.ts';

/** Maximum wait of a caller for the receipt of an erasure; it goes on in the background. */
const receiptWaitMs = 25_000;
/** An erasure retries after this. */
const orphansWaitMs = 60_000;
/** How long a receipt can be fetched, and an ended job. */
const receiptKeptMs = 30 * 86_400_000;

/** In days. */
export interface RetentionPorts {
  /** For all organisations; undefined: none. */
  readonly deploymentDays: number | undefined;
  /** The organisation's own; null: none. */
  readonly read: (organizationId: OrganizationId) => Promise<number | null>;
  /** Durable on return. */
  readonly set: (organizationId: OrganizationId, days: number | null) => Promise<void>;
}

export interface ErasurePorts {
  /** @returns undefined when the erasure takes longer than a call may wait. @throws GatelogError `erasure_in_progress`. */
  readonly erase: (organizationId: OrganizationId, userId: string) => Promise<Erasure | undefined>;
  /** Call it once the caller has got the receipt. */
  readonly acknowledge: (erasure: Erasure) => Promise<void>;
}

export interface RemovalParts {
  readonly config: Config;
  readonly observe: Observe;
  readonly database: MetadataDatabase;
  readonly events: EventsDatabase;
  readonly store: Store;
  readonly state: SharedState;
  readonly running: RunningErasures;
  readonly trustedClock: TrustedClock;
  readonly deadLetters: Pick<DeadLetters, 'recount'>;
  readonly streams: { readonly forget: (organizationId: OrganizationId) => void };
  /** No recorded call from before this start came later, Unix milliseconds. */
  readonly latestBefore: number;
}

export interface Removals {
  readonly retentionPorts: RetentionPorts;
  readonly erasurePorts: ErasurePorts;
  /** Resumes interrupted removals; call it before the drain starts. */
  readonly start: () => Promise<void>;
  /** Runs `work`, which copies records, while no erasure starts to change them. */
  readonly withPaused: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Removes rows that the store kept of records it refused, one removal at a time; `withinMs` counts from its turn. */
  readonly removeOrphans: (records: Parameters<Store['removeOrphans']>[0], withinMs: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export function makeTrustedClock(database: MetadataDatabase, observe: Observe): TrustedClock {
  return new TrustedClock({
    clock: systemClock,
    readTrusted: () => readTrustedTime(database),
    storeTrusted: (at) => storeTrustedTime(database, at),
    observe,
  });
}

/** What an erasure reaches beside stored records. */
export interface Erased {
  readonly drain: Drain;
  readonly changer: RequestChanges;
  readonly deliveries: EraseDeliveries;
}

export function makeRemovals(parts: RemovalParts, erased: Erased): Removals {
  const { config, database } = parts;
  const erasures = makeErasures(parts, erased);
  const retention = makeRetention(parts, erasures);
  const bodyMove = new BodyMove({
    moveBodies: parts.store.moveBodies,
    indexWords: parts.store.indexWords,
    exclusive: (work) => erasures.exclusive(work),
    observe: parts.observe,
    monotonic: systemClock.monotonic,
  });
  return {
    retentionPorts: {
      deploymentDays: config.retentionDays,
      read: (organizationId) => readRetention(database, organizationId),
      set: (organizationId, days) => setRetention(database, { organizationId, days, at: systemClock.now() }),
    },
    erasurePorts: {
      erase: (organizationId, userId) => erasures.erase(organizationId, userId, receiptWaitMs),
      acknowledge: async (erasure) => {
        await forgetUserInJobs(database, erasure.organizationId, erasure.userId);
        await erasures.acknowledge(erasure);
      },
    },
    start: async () => {
      await erasures.resume();
      retention.start();
      bodyMove.start();
    },
    withPaused: (work) => erasures.withPaused(work),
    removeOrphans: (records, withinMs) => erasures.exclusive(() => parts.store.removeOrphans(records, AbortSignal.timeout(withinMs))),
    stop: async () => {
      await Promise.all([bodyMove.stop(), retention.stop(), erasures.stop()]);
    },
  };
}

function makeRetention({ config, observe, database, events, store, trustedClock }: RemovalParts, erasures: Erasures): Retention {
  return new Retention({
    deploymentDays: config.retentionDays,
    daysByOrganization: () => listRetentions(database),
    removeExpired: (expiry, signal) => erasures.exclusive(() => store.removeExpired(expiry, signal)),
    removeClaims: (expiry, signal) => removeClaims(database, expiry, signal),
    removeDeliveries: async (expiry, signal) => {
      await removeExpiredDeliveries(events, expiry, signal);
    },
    forgetReceipts: async (now) => {
      await forgetOldJobs(database, now - receiptKeptMs);
      await forgetOldErasures(database, now - receiptKeptMs);
    },
    intervalMs: config.retentionIntervalMs,
    trustedNow: () => trustedClock.now(),
    observe,
  });
}

function makeErasures(parts: RemovalParts, { drain, changer, deliveries }: Erased): Erasures {
  const { observe, database, store, state, running, latestBefore, streams } = parts;
  const { inFlight } = drain;
  const erasures: Erasures = new Erasures({
    repository: repositoryOf(database, observe, async () => {
      // An unread call in the spool may carry a faster clock.
      await drain.catchUp();
      return { latestBefore, inFlight };
    }),
    targets: {
      ingest: { begin: (erasure) => running.add(erasure), end: (erasure) => running.remove(erasure) },
      waitForSpoolDrain: (erasure, signal) => waitForSpoolDrain({ catchUp: () => drain.catchUp(), inFlight }, erasure, signal),
      whenChangesAreOver: (organizationId) => changer.exclusive(organizationId, async () => undefined),
      store: {
        ...store.erase,
        removeRequests: (erasure, signal) =>
          store.erase.removeRequests(erasure, signal).finally(() => streams.forget(erasure.organizationId)),
      },
      deliveries,
      responses: {
        count: ({ organizationId, userId }) => state.open().responses.count(organizationId, userId),
        forget: ({ organizationId, userId }) => {
          // The state file that was set aside is for inspection only, and may hold responses to anybody.
          rmSync(damagedStateFile(dataPaths(parts.config).state), { force: true });
          return state.open().responses.forget(organizationId, userId);
        },
      },
      deadLetters: deadLettersOf(parts, (record) =>
        erasures.exclusive(() => store.removeOrphans([record], AbortSignal.timeout(orphansWaitMs))),
      ),
    },
    observe,
  });
  return erasures;
}

function deadLettersOf({ config, deadLetters }: RemovalParts, removeRest: RemoveOrphans): ErasableLetters {
  const { count, erase } = makeErasableLetters(dataPaths(config).deadLetters, removeRest);
  return { count, erase: (erasure) => erase(erasure).finally(() => deadLetters.recount()) };
}

function repositoryOf(database: MetadataDatabase, observe: Observe, arrivals: () => Promise<Arrivals>): ErasureRepository {
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
        // Returns the receipt anyway, or it would be lost; the next run of retention tries again.
        observe({ kind: 'job_failed', job: 'removal of an erased name from the log of the metadata database', reason: messageOf(error) });
      }
    },
  };
}
