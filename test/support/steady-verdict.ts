import { lastingSlopePerSecond, type Sample, slopePerSecond } from '../../bench/measure/trend.ts';

export interface ProcessSample {
  readonly atMs: number;
  readonly residentBytes: number;
  readonly threads: number;
  /** Without the three descriptors that the store's engine keeps open for each of its threads. */
  readonly descriptors: number;
}

/** Samples of one process, oldest first. */
export interface ProcessSamples {
  readonly process: string;
  readonly samples: readonly ProcessSample[];
}

/** Trend over the second half of a run. */
export interface ProcessTrend {
  readonly process: string;
  /** Mean of the second half. */
  readonly residentBytes: number;
  readonly residentBytesPerHour: number;
  readonly grows: boolean;
  readonly descriptors: number;
  readonly descriptorsPerHour: number;
  readonly leaks: boolean;
  readonly threads: number;
  readonly threadsPerHour: number;
  readonly spawns: boolean;
}

/** Memory that a process may gain over the second half: the larger of this share and this number of bytes. */
const growthShare = 0.05;
const growthBytes = 8e6;
/**
 * Descriptors, or threads, that a process may gain over the second half: the engine's thread pools grow to the highest concurrency so far,
 * which a run occasionally exceeds.
 */
const maxGain = 8;
/** Each window counts its minimum of descriptors and threads: connections and merges come and go, a leak stays. */
const windowMs = 10_000;
/** Longer for memory, because garbage collections are rarer. */
const memoryWindowMs = 60_000;
/** Number of windows whose median is the memory at the beginning, or at the end. */
const windowsPerEnd = 3;
/** Minimum number of windows in the last quarter of a run. */
const minWindows = 6;

/**
 * Trend over the second half of the samples; the first half contains the warm-up. Memory grows when its minimum per minute rises by more
 * than the limit over the half (Theil–Sen slope) and still rises at least half as fast in the last quarter, or when the last quarter alone
 * rises by more than the limit. Resident memory of a process with garbage swings by a tenth and rises for a minute or two during a
 * backlog. A process leaks when the minimum of its descriptors per ten seconds rises by more than the limit for most of the time: merges of a
 * store that grows hold the files of their parts for longer and longer. It spawns when the least-squares line through that of its threads
 * does: those of a pool stay.
 */
export function trendOf({ process, samples }: ProcessSamples): ProcessTrend {
  const half = samples.slice(Math.floor(samples.length / 2));
  const hours = ((half.at(-1)?.atMs ?? 0) - (half[0]?.atMs ?? 0)) / 3_600_000;
  const quarter = samples.slice(Math.floor((samples.length * 3) / 4));
  const eachMs = Math.min(memoryWindowMs, (hours * 3_600_000) / (2 * minWindows));
  const memory = lastingPerHour(minPerWindow(half, 'residentBytes', eachMs));
  const least = minPerWindow(quarter, 'residentBytes', eachMs);
  const memoryLast = lastingPerHour(least);
  const lastRise = medianOf(least.slice(-windowsPerEnd)) - medianOf(least.slice(0, windowsPerEnd));
  const descriptors = lastingPerHour(minPerWindow(half, 'descriptors'));
  const threads = perHour(minPerWindow(half, 'threads'));
  const residentBytes = meanOf(half.map((sample) => sample.residentBytes));
  const maxGrowthBytes = Math.max(growthBytes, residentBytes * growthShare);
  return {
    process,
    residentBytes,
    residentBytesPerHour: memory,
    grows: lastRise > maxGrowthBytes || (memory * hours > maxGrowthBytes && memoryLast >= memory / 2),
    descriptors: half.at(-1)?.descriptors ?? 0,
    descriptorsPerHour: descriptors,
    leaks: descriptors * hours > maxGain,
    threads: half.at(-1)?.threads ?? 0,
    threadsPerHour: threads,
    spawns: threads * hours > maxGain,
  };
}

function minPerWindow(samples: readonly ProcessSample[], what: keyof Omit<ProcessSample, 'atMs'>, eachMs: number = windowMs): Sample[] {
  const windows = new Map<number, Sample>();
  for (const { atMs, [what]: value } of samples) {
    const window = Math.floor(atMs / eachMs);
    const known = windows.get(window);
    if (known === undefined || value < known.value) windows.set(window, { atMs, value });
  }
  return [...windows.values()];
}

function lastingPerHour(samples: readonly Sample[]): number {
  return (lastingSlopePerSecond(samples) ?? 0) * 3600;
}

function medianOf(samples: readonly Sample[]): number {
  return samples.map(({ value }) => value).toSorted((one, other) => one - other)[Math.floor(samples.length / 2)] ?? 0;
}

function perHour(samples: readonly Sample[]): number {
  return (slopePerSecond(samples) ?? 0) * 3600;
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
