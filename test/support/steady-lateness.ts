import { LatencyHistogram, type LatencySummary } from '../../bench/load/latency-histogram.ts';
import type { FoundDelay } from './steady-probe.ts';
import type { StolenTime } from './stolen-time.ts';

/** Of 100 calls 99 can be queried so soon after their reply. */
const latestVisibleMs = 1000;
/** Calls that the host of the machine must have left alone for a verdict about the others. */
const minUndisturbedShare = 0.5;

/** How soon calls could be queried whose first second the host of the machine had not disturbed. */
export interface UndisturbedDelay extends LatencySummary {
  readonly calls: number;
}

/** What happened after the latest moment at which a call should have been found is no reason why it was not. */
export function undisturbedDelay(each: FoundDelay['each'], stolen: Pick<StolenTime, 'disturbs'>): UndisturbedDelay {
  const own = each.filter(({ endedAt, afterMs }) => !stolen.disturbs(endedAt, endedAt + Math.min(afterMs, latestVisibleMs)));
  const delays = new LatencyHistogram();
  for (const { afterMs } of own) delays.record(afterMs);
  return { ...delays.summary(), calls: own.length };
}

/** `late`: for reasons of their own. `excused`: late, but not those that the host left alone. `unknown`: late, and too few were left alone. */
export type Lateness = 'none' | 'late' | 'excused' | 'unknown';

export function latenessOf({ calls, visible }: Pick<FoundDelay, 'calls' | 'visible'>, own: UndisturbedDelay): Lateness {
  const latestMicros = latestVisibleMs * 1000;
  if (visible.p99Micros <= latestMicros) return 'none';
  if (own.calls < calls * minUndisturbedShare) return 'unknown';
  return own.p99Micros > latestMicros ? 'late' : 'excused';
}
