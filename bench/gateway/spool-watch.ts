import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { slopePerSecond } from '../measure/trend.ts';
import type { GatelogCandidate } from '../peers/candidate.ts';
import { SpoolGauge, type SpoolReading } from './spool-gauge.ts';

/** What waited in the spool over one load. */
export interface SpoolCourse {
  /** Each second, oldest first. */
  readonly waitingBytesEachSecond: readonly number[];
  /** Trend of what waits over the watched time; null where it was too short. */
  readonly growthBytesPerSecond: number | null;
  /** The least that waited in the watched time. */
  readonly minWaitingBytes: number;
  /** What came in meanwhile. */
  readonly inflowBytesPerSecond: number;
  /**
   * In the watched time what waits grew by less than what comes in within a second, or was no more than that at some moment: then the ingest had
   * caught up, and what grows since is what it puts off for a burst.
   */
  readonly keepsUp: boolean;
}

const sampleMs = 1000;
/** What waits then is what has just come: a batch is not sent for less. */
const drainedBytes = 64 * 1024;
const maxDrainMs = 300_000;

interface Sample extends SpoolReading {
  readonly atMs: number;
}

/** Reads the gauge each second while a load runs. */
export class SpoolWatch {
  readonly #gauge: SpoolGauge;
  readonly #samples: Sample[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(candidate: GatelogCandidate) {
    this.#gauge = new SpoolGauge(spoolFolderOf(candidate));
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), sampleMs);
  }

  /** The load has ended; what is judged is its end, so many milliseconds of it. */
  stop(watchedMs: number): SpoolCourse {
    clearInterval(this.#timer);
    this.#sample();
    return courseOf(this.#samples, watchedMs);
  }

  #sample(): void {
    this.#samples.push({ atMs: performance.now(), ...this.#gauge.read() });
  }
}

/** What samples of a spool come to, of which the last `watchedMs` are judged. */
export function courseOf(samples: readonly Sample[], watchedMs: number): SpoolCourse {
  const endedAtMs = samples.at(-1)?.atMs ?? 0;
  const watched = samples.filter(({ atMs }) => atMs >= endedAtMs - watchedMs);
  const [first, last] = [watched[0], watched.at(-1)];
  const seconds = first === undefined || last === undefined ? 0 : (last.atMs - first.atMs) / 1000;
  const inflowBytesPerSecond =
    first === undefined || last === undefined || seconds === 0 ? 0 : (last.writtenBytes - first.writtenBytes) / seconds;
  const growthBytesPerSecond = slopePerSecond(watched.map(({ atMs, waitingBytes }) => ({ atMs, value: waitingBytes })));
  const minWaitingBytes = Math.min(...watched.map(({ waitingBytes }) => waitingBytes));
  const growthBytes = growthBytesPerSecond === null ? Number.POSITIVE_INFINITY : growthBytesPerSecond * seconds;
  return {
    minWaitingBytes,
    waitingBytesEachSecond: samples.map(({ waitingBytes }) => waitingBytes),
    growthBytesPerSecond,
    inflowBytesPerSecond,
    keepsUp: Math.min(growthBytes, minWaitingBytes) < inflowBytesPerSecond,
  };
}

/** Waits until the ingest has emptied the spool. @returns the milliseconds that it took; null when five minutes were not enough. */
export async function untilDrained(candidate: GatelogCandidate): Promise<number | null> {
  const gauge = new SpoolGauge(spoolFolderOf(candidate));
  const startedAtMs = performance.now();
  while (gauge.read().waitingBytes > drainedBytes) {
    if (performance.now() - startedAtMs > maxDrainMs) return null;
    await sleep(sampleMs / 4);
  }
  return performance.now() - startedAtMs;
}

function spoolFolderOf({ dataFolder }: GatelogCandidate): string {
  return join(dataFolder, 'spool');
}
