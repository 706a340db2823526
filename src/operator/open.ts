import type { Ingest } from '../ingest/open.ts';
import type { Jobs } from '../jobs/open.ts';
import { serveOperator } from './socket.ts';
import type { Server } from 'node:http';
import type { ApiPorts } from '../api/endpoint/ports.ts';
import type { Config } from '../config/load.ts';
import { DeadLetterReplay } from '../ingest/dead-letters/replay.ts';
import type { DeadLetterQuota } from '../ingest/dead-letters/quota.ts';
import type { TrustedClock } from '../jobs/trusted-clock.ts';
import { messageOf } from '../model/errors.ts';
import { createOperatorServer } from './app.ts';
import type { OperatorWork } from './routes/endpoint.ts';
import { systemClock } from '../platform/clock.ts';
import { writeAtomicSeries } from '../spool/import-series.ts';
import { dataPaths } from '../config/data-paths.ts';
import { makeStoreCopyWork } from './work/store-copy.ts';
import { makeStoreParts } from './work/store-parts.ts';
import { makePriceImport } from '../jobs/import-prices.ts';
import type { AllCorePrices } from '../pricing/held/core-prices.ts';
import { makeTakeSnapshot, type SnapshotParts } from './work/snapshots.ts';

/** Other rooms, as the operator's endpoints use them. */
export interface OperatorDependencies extends Pick<SnapshotParts, 'config' | 'observe' | 'database' | 'store'> {
  readonly ingest: Ingest;
  readonly jobs: Jobs;
  /** Some endpoints of the API are the operator's too. */
  readonly api: ApiPorts;
  readonly prices: AllCorePrices;
  readonly onTraces: OperatorWork['onTraces'];
}

/**
 * Serves the operator's endpoints on their socket, and keeps dead letters within their bounds. @returns a function that ends both, running
 * responses within the given milliseconds.
 */
export async function openOperator(dependencies: OperatorDependencies): Promise<(maxMs: number) => Promise<void>> {
  const { config, observe, ingest, jobs } = dependencies;
  const replay = makeDeadLetterReplay(dependencies);
  const stopPruning = boundDeadLetters({
    config,
    observe,
    replay,
    trustedClock: jobs.trustedClock,
    deadLetterQuota: ingest.deadLetterQuota,
  });
  const close = await serveOperator(config.dataDir, operatorServer(dependencies, replay), observe);
  return async (maxMs) => {
    stopPruning();
    await close(maxMs);
  };
}

export interface BoundedDeadLetters extends Pick<OperatorDependencies, 'observe'> {
  readonly replay: Pick<DeadLetterReplay, 'prune'>;
  readonly config: Pick<Config, 'deadLetterDays' | 'deadLetterMaxBytes'>;
  readonly trustedClock: Pick<TrustedClock, 'now'>;
  /** Evicts between the hourly runs. */
  readonly deadLetterQuota: Pick<DeadLetterQuota, 'onEvict'>;
}

/** Maximum wait of a replay for the ingest: longer than a burst of calls may take precedence. */
const replayWaitMs = 90_000;
const pruneIntervalMs = 3_600_000;
const dayMs = 86_400_000;

/** Sends dead letters through the ingest again and removes them. */
function makeDeadLetterReplay({ config, observe, ingest, jobs }: OperatorDependencies): DeadLetterReplay {
  const { deadLetters, changer, inFlightOf, pendingChanges, drain, running } = ingest;
  return new DeadLetterReplay({
    deadLetters,
    locate: (organizationId, requestId) => changer.locate(organizationId, requestId),
    inFlightOf,
    pendingChanges,
    forgetSpent: () => drain.appliedChanges.forget(),
    removeOrphans: (heads) => jobs.removals.removeOrphans(heads, replayWaitMs),
    isErasing: (organizationId) => running.of(organizationId) !== undefined,
    writeSeries: (series, frames) => writeAtomicSeries(dataPaths(config).spool, series, frames),
    waitMs: replayWaitMs,
    observe,
  });
}

function operatorServer(dependencies: OperatorDependencies, replay: DeadLetterReplay): Server {
  const { api, ingest, jobs } = dependencies;
  const { deadLetters, drain } = ingest;
  const takeSnapshot = makeTakeSnapshot({ ...dependencies, drain, removals: jobs.removals, jobs: jobs.bulk });
  return createOperatorServer({
    prices: makePriceImport({ database: dependencies.database, ...dependencies.prices, now: systemClock.now }),
    onTraces: dependencies.onTraces,
    deadLetters,
    replay,
    storeParts: makeStoreParts(dependencies.store, dependencies.observe),
    storeCopy: makeStoreCopyWork(dependencies.config, dependencies.observe, jobs.copies),
    takeSnapshot: (...args) => replay.runExclusively(() => takeSnapshot(...args)),
    api,
  });
}

/**
 * Bounds dead letters by age, now and every hour, and by bytes, now and whenever there are too many. @returns a function that ends the
 * hourly run.
 */
export function boundDeadLetters({ config, observe, replay, trustedClock, deadLetterQuota }: BoundedDeadLetters): () => void {
  const prune = async (before: number, maxBytes: number): Promise<void> => {
    const { failure, ...removed } = await replay.prune(before, maxBytes);
    if (removed.expired + removed.crowdedOut > 0) observe({ kind: 'dead_letters_removed', ...removed });
    if (failure !== undefined) throw failure;
  };
  const run = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      observe({ kind: 'job_failed', job: 'removal of dead letters', reason: messageOf(error) });
    }
  };
  const pruneAll = async (): Promise<void> => {
    const now = await trustedClock.now();
    // Without a trusted clock nothing expires by age; the size limit still applies.
    await prune(now === undefined ? 0 : now - config.deadLetterDays * dayMs, config.deadLetterMaxBytes);
  };
  deadLetterQuota.onEvict((maxBytes) => run(() => prune(0, maxBytes)));
  void run(pruneAll);
  const timer = setInterval(() => void run(pruneAll), pruneIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
