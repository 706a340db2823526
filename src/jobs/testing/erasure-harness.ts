import path from 'node:path';
import { DeadLetters } from '../../ingest/dead-letters/store.ts';
import { type ErasableLetters, makeErasableLetters } from '../../ingest/dead-letters/erase.ts';
import { erasureCutoff, RunningErasures, waitForSpoolDrain } from '../../ingest/changes/erasures.ts';
import { type CoreRig, type IngestRig, openOnRig, type SpoolRig } from '../../ingest/testing/ingest-harness.ts';
import {
  addErasedExchanges,
  advanceErasure,
  countErasedExchanges,
  forgetErasure,
  listUnfinishedErasures,
  orderErasure,
  wasErased,
} from '../../metadata/erasures.ts';
import type { Observation } from '../../model/observation.ts';
import { systemClock } from '../../platform/clock.ts';
import { CachedResponses } from '../../state/cached-responses.ts';
import { openEnvironment } from '../../state/lmdb.ts';
import { Erasures, type ErasureTargets } from '../erasures.ts';
import type { EraseDeliveries } from '../../events/erase-deliveries.ts';
import type { TestInterpret } from '../../ingest/testing/spent-rows.ts';

/** A core that runs, with what erases. */
export interface Life {
  readonly core: CoreRig;
  readonly erasures: Erasures;
  /** What the ingest leaves out. */
  readonly running: Pick<RunningErasures, 'of'>;
  readonly observations: readonly Observation[];
  readonly end: () => Promise<void>;
}

/** State that outlives a core. */
export interface LifeParts {
  readonly rig: IngestRig;
  readonly responses: CachedResponses;
}

/** State that outlives a core, until it is closed. */
export interface OpenLifeParts extends LifeParts {
  readonly close: () => Promise<void>;
}

/** Opens a store and a cache of replies for the tests of a file. */
export function openLifeParts(): Promise<OpenLifeParts> {
  return openOnRig(openLifeOver);
}

async function openLifeOver(rig: IngestRig): Promise<OpenLifeParts> {
  const environment = openEnvironment(path.join(rig.folder, 'state'), 16 * 1024 * 1024, () => undefined);
  const responses = new CachedResponses(environment, { maxBytes: 1024 * 1024, maxResponseBytes: 64 * 1024 });
  const close = async (): Promise<void> => {
    await environment.close();
    await rig.close();
  };
  return { rig, responses, close };
}

/** Of a service without webhooks. */
const noDeliveries: EraseDeliveries = { settle: async () => undefined, ofRequests: async () => undefined, mentions: async () => undefined };

export interface LifeOptions {
  readonly targets?: Partial<ErasureTargets>;
  readonly interpret?: TestInterpret;
  readonly starts?: boolean;
  readonly maxRunning?: number;
}

/** One life of a core over a spool, with what erases. */
export async function liveOver({ rig, responses }: LifeParts, spool: SpoolRig, given: LifeOptions = {}): Promise<Life> {
  const running = new RunningErasures();
  const observations: Observation[] = [];
  const core = await spool.openCore({
    ...(given.interpret === undefined ? {} : { interpret: given.interpret }),
    erasures: {
      of: (organizationId) => running.of(organizationId),
      save: (erased) => addErasedExchanges(rig.database, erased),
      wasErased: (exchange) => wasErased(rig.database, exchange),
    },
  });
  const { drain, changer } = core;
  const latestLetter = new DeadLetters(spool.deadLetterFolder, systemClock.now).latestOpenedAt();
  const startedAt = systemClock.now();
  const latestBefore = Math.max(startedAt, await rig.store.latestArrival(startedAt), latestLetter);
  const arrivals = { latestBefore, inFlight: drain.inFlight };
  const erasures = new Erasures(
    {
      repository: {
        order: (organizationId, userId, takesNew) =>
          orderErasure(rig.database, { organizationId, userId, at: erasureCutoff(systemClock.now(), arrivals), takesNew }),
        unfinished: () => listUnfinishedErasures(rig.database),
        advance: (number, reached) => advanceErasure(rig.database, number, reached),
        countErased: (number) => countErasedExchanges(rig.database, number),
        forget: (number) => forgetErasure(rig.database, number),
      },
      targets: {
        ingest: { begin: (erasure) => running.add(erasure), end: (erasure) => running.remove(erasure) },
        waitForSpoolDrain: (erasure, signal) =>
          waitForSpoolDrain({ catchUp: () => drain.catchUp(), inFlight: drain.inFlight }, erasure, signal),
        whenChangesAreOver: (organizationId) => changer.exclusive(organizationId, async () => undefined),
        store: rig.store.erase,
        responses: {
          count: ({ organizationId, userId }) => responses.count(organizationId, userId),
          forget: ({ organizationId, userId }) => responses.forget(organizationId, userId),
        },
        deliveries: noDeliveries,
        deadLetters: lettersOf(rig, spool),
        ...given.targets,
      },
      observe: (observation) => observations.push(observation),
    },
    given.maxRunning,
  );
  await erasures.resume();
  if (given.starts !== false) drain.start();
  return {
    core,
    erasures,
    running,
    observations,
    end: async () => {
      await Promise.all([drain.stop(10_000), erasures.stop()]);
    },
  };
}

/** The letters of a spool, with what the store has of them. */
export function lettersOf(rig: IngestRig, spool: SpoolRig): ErasableLetters {
  return makeErasableLetters(spool.deadLetterFolder, (record) => rig.store.removeOrphans([record], new AbortController().signal));
}
