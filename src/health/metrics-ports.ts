import type { ApiPorts } from '../api/endpoint/ports.ts';
import type { Config } from '../config/load.ts';
import type { DeadLetters } from '../ingest/dead-letters/store.ts';
import type { SpendCounters } from '../ingest/spend-counters.ts';
import type { Drain } from '../ingest/drain.ts';
import { systemClock } from '../platform/clock.ts';
import type { EventsDatabase } from '../events/database/database.ts';
import type { Meter } from '../platform/metrics/meter.ts';
import type { Store } from '../store/store.ts';
import { onMetrics } from '../supervisor/child.ts';
import { ProcessMetrics } from './core-metrics.ts';

export interface MeasuredParts {
  readonly config: Config;
  readonly meter: Meter;
  readonly store: Store;
  readonly events: EventsDatabase;
  readonly deadLetters: DeadLetters;
  readonly drain: Drain;
  /** Of webhooks, milliseconds. */
  readonly behindMs: () => number;
  readonly spendCounters: SpendCounters;
  readonly spoolFolder: string;
}

/** Invariant: what organisations spend is on the page only where the page needs a key. */
export function makeMetricsPorts({ config, spendCounters, ...parts }: MeasuredParts): ApiPorts['metrics'] {
  const { spoolMaxBytes, deadLetterMaxBytes } = config;
  const numbers = new ProcessMetrics({ ...parts, spendCounters, deadLetterMaxBytes, spoolMaxBytes, now: systemClock.now });
  onMetrics((message) => numbers.take(message));
  const { metricsKey: key } = config;
  return {
    key,
    figures: () => numbers.figures(),
    page: async () => (await numbers.page()) + (key === undefined ? '' : spendCounters.page()),
  };
}
