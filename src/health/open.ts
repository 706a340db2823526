import type { ApiHealth, ApiPorts } from '../api/endpoint/ports.ts';
import { dataPaths } from '../config/data-paths.ts';
import type { Config } from '../config/load.ts';
import { thisMachine } from '../config/machine.ts';
import { maxMemoryBytes } from '../config/max-memory.ts';
import type { EventsDatabase } from '../events/database/database.ts';
import type { Ingest } from '../ingest/open.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import { systemClock } from '../platform/clock.ts';
import { makeMeasureDiskSpace } from '../platform/disk-space.ts';
import { HealthProbe } from '../platform/health-probe.ts';
import type { Meter } from '../platform/metrics/meter.ts';
import { takesWrites } from '../platform/sqlite/database.ts';
import type { Store } from '../store/store.ts';
import { onMetrics } from '../supervisor/child.ts';
import { ProcessMetrics } from './core-metrics.ts';
import { healthOf } from './health.ts';
import { historyStepMs } from './history.ts';

/** Other rooms, as health looks at them. */
export interface HealthDependencies {
  readonly config: Config;
  readonly meter: Meter;
  readonly database: MetadataDatabase;
  readonly store: Store;
  readonly events: EventsDatabase;
  readonly ingest: Pick<Ingest, 'drain' | 'deadLetters' | 'spendCounters'>;
  /** How far webhooks are behind the stored records, milliseconds. */
  readonly behindMs: () => number;
}

export interface OpenHealth {
  readonly ports: Pick<ApiPorts, 'health' | 'metrics'>;
  /** Notes the figures of the history from now on. @returns a function that ends it. */
  readonly follow: () => () => void;
}

/** Invariant: what organisations spend is on the page only where the page needs a key. */
export function openHealth({ config, meter, database, store, events, ingest, behindMs }: HealthDependencies): OpenHealth {
  const { drain, deadLetters, spendCounters } = ingest;
  const { spoolMaxBytes, deadLetterMaxBytes, metricsKey: key } = config;
  const { now, monotonic } = systemClock;
  const spoolFolder = dataPaths(config).spool;
  const bounds = { deadLetterMaxBytes, spoolFolder, spoolMaxBytes };
  const probes = { store: new HealthProbe(store.isAlive, monotonic), metadata: new HealthProbe(() => takesWrites(database), monotonic) };
  const health = (): Promise<ApiHealth> => healthOf(probes, drain, store);
  const isReady = async (): Promise<boolean> => (await health()).failing.length === 0;
  const memory = { limitBytes: thisMachine().memoryLimitBytes, maxBytes: maxMemoryBytes(config) };
  const looks = { measureDisk: makeMeasureDiskSpace(config.dataDir, config.storeSpareBytes), memory, isReady, now, monotonic };
  const numbers = new ProcessMetrics({ meter, drain, deadLetters, store, events, behindMs, spendCounters, ...bounds, ...looks });
  onMetrics((message) => numbers.take(message));
  return {
    ports: {
      health,
      metrics: {
        key,
        figures: () => numbers.figures(),
        page: async () => (await numbers.page()) + (key === undefined ? '' : spendCounters.page()),
      },
    },
    follow: () => follow(numbers),
  };
}

function follow(numbers: ProcessMetrics): () => void {
  // A point whose figures cannot be read, such as those of a folder, is left out.
  const note = (): void => void numbers.note().catch(() => undefined);
  const timer = setInterval(note, historyStepMs);
  timer.unref();
  note();
  return () => clearInterval(timer);
}
