import { type Sample, slopePerSecond } from '../../bench/measure/trend.ts';

/** A process at one moment. */
export interface ProcessSample {
  readonly atMs: number;
  readonly residentBytes: number;
  readonly descriptors: number;
}

/** What one process of the service held over a run, oldest first. */
export interface ProcessCourse {
  readonly process: string;
  readonly samples: readonly ProcessSample[];
}

/** How a process went, over the second half of a run. */
export interface ProcessTrend {
  readonly process: string;
  /** Mean of the half. */
  readonly residentBytes: number;
  readonly residentBytesPerHour: number;
  readonly grows: boolean;
  readonly descriptors: number;
  readonly descriptorsPerHour: number;
  readonly leaks: boolean;
}

/** Memory that a process may gain over the second half: this share of what it holds, and at least so many bytes. */
const growthShare = 0.05;
const growthBytes = 8e6;
/** Descriptors that a process may gain over the second half. */
const moreDescriptors = 8;
/** Descriptors of a window are the fewest that were seen in it: connections and merges come and go, a leak stays. */
const descriptorWindowMs = 10_000;

/**
 * How a process went, over the second half of its samples: what it needs for its first calls is no trend.
 *
 * Slopes are those of the straight line that fits best (least squares). It grows when the line of its memory rises over the half by more than it may,
 * and the line through the last quarter of the run rises at least half as steeply: then it has not come to rest. It leaks when the line through the fewest
 * descriptors of every ten seconds rises by more than it may.
 */
export function trendOf({ process, samples }: ProcessCourse): ProcessTrend {
  const half = samples.slice(Math.floor(samples.length / 2));
  const quarter = samples.slice(Math.floor((samples.length * 3) / 4));
  const hours = ((half.at(-1)?.atMs ?? 0) - (half[0]?.atMs ?? 0)) / 3_600_000;
  const memory = perHour(half.map(({ atMs, residentBytes }) => ({ atMs, value: residentBytes })));
  const memoryLast = perHour(quarter.map(({ atMs, residentBytes }) => ({ atMs, value: residentBytes })));
  const descriptors = perHour(fewestDescriptors(half));
  const residentBytes = meanOf(half.map((sample) => sample.residentBytes));
  const mayGrowBytes = Math.max(growthBytes, residentBytes * growthShare);
  return {
    process,
    residentBytes,
    residentBytesPerHour: memory,
    grows: memory * hours > mayGrowBytes && memoryLast >= memory / 2,
    descriptors: half.at(-1)?.descriptors ?? 0,
    descriptorsPerHour: descriptors,
    leaks: descriptors * hours > moreDescriptors,
  };
}

function fewestDescriptors(samples: readonly ProcessSample[]): Sample[] {
  const windows = new Map<number, Sample>();
  for (const { atMs, descriptors } of samples) {
    const window = Math.floor(atMs / descriptorWindowMs);
    const known = windows.get(window);
    if (known === undefined || descriptors < known.value) windows.set(window, { atMs, value: descriptors });
  }
  return [...windows.values()];
}

function perHour(samples: readonly Sample[]): number {
  return (slopePerSecond(samples) ?? 0) * 3600;
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
