import type { Server } from 'node:http';
import type { ApiPorts } from '../api/endpoint/ports.ts';
import type { Config } from '../config/load.ts';
import type { DeadLetters } from '../ingest/dead-letters/store.ts';
import { DeadLetterReplay } from '../ingest/dead-letters/replay.ts';
import type { RunningErasures } from '../ingest/erasures.ts';
import type { DeadLetterQuota } from '../ingest/dead-letters/quota.ts';
import type { PendingChanges } from '../ingest/changes/pending.ts';
import type { RequestChanges } from '../ingest/changes/request-changes.ts';
import type { TrustedClock } from '../jobs/trusted-clock.ts';
import { messageOf } from '../model/errors.ts';
import { createOperatorServer } from './app.ts';
import type { OperatorPorts } from './ports.ts';
import { systemClock } from '../platform/clock.ts';
import { writeWholeSeries } from '../spool/import-series.ts';
import type { Removals } from '../jobs/open.ts';
import { dataPaths } from '../config/data-paths.ts';
import { makeStorePartPorts } from './store-parts.ts';
import { makePriceImport } from '../jobs/import-prices.ts';
import type { AllCorePrices } from '../pricing/held/core-prices.ts';
import { makeTakeSnapshot, type SnapshotParts } from './snapshots.ts';

export interface OperatedParts extends SnapshotParts {
  readonly deadLetters: DeadLetters;
  readonly pendingChanges: PendingChanges;
  readonly changer: RequestChanges;
  readonly api: ApiPorts;
  readonly running: RunningErasures;
  readonly removals: Removals;
  readonly noteTraces: OperatorPorts['noteTraces'];
  readonly prices: AllCorePrices;
}

export interface BoundedDeadLetters extends Pick<OperatedParts, 'observe'> {
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
export function makeDeadLetterReplay({
  config,
  observe,
  deadLetters,
  pendingChanges,
  drain,
  changer,
  api,
  running,
  removals,
}: OperatedParts): DeadLetterReplay {
  return new DeadLetterReplay({
    deadLetters,
    locate: (organizationId, requestId) => changer.locate(organizationId, requestId),
    inFlightOf: api.inFlightOf,
    pendingChanges,
    forgetSpent: () => drain.appliedChanges.forget(),
    removeOrphans: (heads) => removals.removeOrphans(heads, replayWaitMs),
    isErasing: (organizationId) => running.of(organizationId) !== undefined,
    writeSeries: (series, frames) => writeWholeSeries(dataPaths(config).spool, series, frames),
    waitMs: replayWaitMs,
    observe,
  });
}

export function operatorServer(parts: OperatedParts, replay: DeadLetterReplay): Server {
  const { deadLetters, api } = parts;
  const takeSnapshot = makeTakeSnapshot(parts);
  return createOperatorServer({
    prices: makePriceImport({ database: parts.database, ...parts.prices, now: systemClock.now }),
    noteTraces: parts.noteTraces,
    deadLetters: {
      list: (page) => deadLetters.list(page),
      count: () => deadLetters.count(),
      read: (id) => deadLetters.read(id),
      replay: (ids) => replay.replay(ids),
    },
    storeParts: makeStorePartPorts(parts.store, parts.observe),
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
