import { LatencyHistogram, type LatencySummary } from '../../bench/load/latency-histogram.ts';
import type { FoundDelay } from './steady-probe.ts';
import type { StolenTime } from './stolen-time.ts';

/** Upper limit of the 99th percentile from the end of a response until a query finds its record. */
const latestVisibleMs = 1000;
/** Smallest share of undisturbed calls for which there is a verdict. */
const minUndisturbedShare = 0.5;

/** Delays of the calls whose first second the host did not disturb. */
export interface UndisturbedDelay extends LatencySummary {
  readonly calls: number;
}

/** A disturbance after the deadline of a call does not excuse its lateness. */
export function undisturbedDelay(samples: FoundDelay['samples'], stolen: Pick<StolenTime, 'disturbs'>): UndisturbedDelay {
  const undisturbed = samples.filter(({ endedAt, afterMs }) => !stolen.disturbs(endedAt, endedAt + Math.min(afterMs, latestVisibleMs)));
  const delays = new LatencyHistogram();
  for (const { afterMs } of undisturbed) delays.record(afterMs);
  return { ...delays.summary(), calls: undisturbed.length };
}

/**
 * `late`: undisturbed calls are late too. `excused`: only disturbed calls are late. `unknown`: calls are late, and too few were
 * undisturbed.
 */
export type Lateness = 'none' | 'late' | 'excused' | 'unknown';

export function latenessOf({ calls, visible }: Pick<FoundDelay, 'calls' | 'visible'>, undisturbed: UndisturbedDelay): Lateness {
  const latestMicros = latestVisibleMs * 1000;
  if (visible.p99Micros <= latestMicros) return 'none';
  if (undisturbed.calls < calls * minUndisturbedShare) return 'unknown';
  return undisturbed.p99Micros > latestMicros ? 'late' : 'excused';
}
