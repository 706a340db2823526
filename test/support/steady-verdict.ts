import { lastingSlopePerSecond, type Sample, slopePerSecond } from '../../bench/measure/trend.ts';

/** A process at one moment. */
export interface ProcessSample {
  readonly atMs: number;
  readonly residentBytes: number;
  readonly threads: number;
  /** Without those that the store's engine has of each of its threads, which are as many as there are threads. */
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
  readonly threads: number;
  readonly threadsPerHour: number;
  readonly spawns: boolean;
}

/** Memory that a process may gain over the second half: this share of what it holds, and at least so many bytes. */
const growthShare = 0.05;
const growthBytes = 8e6;
/**
 * Descriptors, and threads, that a process may gain over the second half. The engine's pools of threads grow to the most that was ever under way at once,
 * and such a most is surpassed now and then.
 */
const moreOfEach = 8;
/** A window's descriptors are the fewest that were seen in it, and so are its threads: connections and merges come and go, a leak stays. */
const windowMs = 10_000;
/** A window's memory is the least that was seen in it: what waits for the garbage collection comes and goes too, only slower. */
const memoryWindowMs = 60_000;
/** Where memory stands at the beginning and at the end is the median of so many windows. */
const atEachEnd = 3;
/** So many windows at least has the last quarter of a run. */
const fewestWindows = 6;

/**
 * How a process went, over the second half of its samples: what it needs for its first calls is no trend.
 *
 * It grows when the least memory of every minute rises over the half by more than it may, for most of the time (Theil–Sen), and in the last quarter of the
 * run at least half as steeply, as it has not come to rest then; or when the last quarter alone ends higher by that. Resident memory of a
 * process with garbage swings by a tenth of itself, and rises for a minute or two when the machine stood still and much waits. It leaks when the straight line
 * through the fewest descriptors of every ten seconds (least squares) rises by more than it may, and spawns when that of its threads does.
 */
export function trendOf({ process, samples }: ProcessCourse): ProcessTrend {
  const half = samples.slice(Math.floor(samples.length / 2));
  const hours = ((half.at(-1)?.atMs ?? 0) - (half[0]?.atMs ?? 0)) / 3_600_000;
  const quarter = samples.slice(Math.floor((samples.length * 3) / 4));
  const eachMs = Math.min(memoryWindowMs, (hours * 3_600_000) / (2 * fewestWindows));
  const memory = lastingPerHour(fewestOf(half, 'residentBytes', eachMs));
  const least = fewestOf(quarter, 'residentBytes', eachMs);
  const memoryLast = lastingPerHour(least);
  const lastRise = medianOf(least.slice(-atEachEnd)) - medianOf(least.slice(0, atEachEnd));
  const descriptors = perHour(fewestOf(half, 'descriptors'));
  const threads = perHour(fewestOf(half, 'threads'));
  const residentBytes = meanOf(half.map((sample) => sample.residentBytes));
  const mayGrowBytes = Math.max(growthBytes, residentBytes * growthShare);
  return {
    process,
    residentBytes,
    residentBytesPerHour: memory,
    grows: lastRise > mayGrowBytes || (memory * hours > mayGrowBytes && memoryLast >= memory / 2),
    descriptors: half.at(-1)?.descriptors ?? 0,
    descriptorsPerHour: descriptors,
    leaks: descriptors * hours > moreOfEach,
    threads: half.at(-1)?.threads ?? 0,
    threadsPerHour: threads,
    spawns: threads * hours > moreOfEach,
  };
}

function fewestOf(samples: readonly ProcessSample[], what: keyof Omit<ProcessSample, 'atMs'>, eachMs: number = windowMs): Sample[] {
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
