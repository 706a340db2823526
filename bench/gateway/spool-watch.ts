import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { slopePerSecond } from '../measure/trend.ts';
import type { GatelogCandidate } from '../peers/candidate.ts';
import { SpoolGauge, type SpoolReading } from './spool-gauge.ts';

/** The spool's backlog over one load. */
export interface SpoolTrend {
  /** One reading per second, oldest first. */
  readonly waitingBytesEachSecond: readonly number[];
  /** Trend of the backlog over the judged time; null where that was too short. */
  readonly growthBytesPerSecond: number | null;
  /** Smallest backlog in the judged time. */
  readonly minWaitingBytes: number;
  /** Bytes written to the spool per second of the judged time. */
  readonly inflowBytesPerSecond: number;
  /**
   * Whether, in the judged time, the backlog grew by less than one second of inflow or was smaller than that at any moment. In the second
   * case the ingest had caught up, and later growth comes from batches that it defers in a burst.
   */
  readonly keepsUp: boolean;
}

const sampleMs = 1000;
/** A smaller backlog is only the latest records: a batch is not sent for less. */
const drainedBytes = 64 * 1024;
const maxDrainMs = 300_000;

interface Sample extends SpoolReading {
  readonly atMs: number;
}

/** Reads the gauge once a second while a load runs. */
export class SpoolWatch {
  private readonly gauge: SpoolGauge;
  private readonly samples: Sample[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(candidate: GatelogCandidate) {
    this.gauge = new SpoolGauge(spoolFolderOf(candidate));
    this.sample();
    this.timer = setInterval(() => this.sample(), sampleMs);
  }

  /** Stops reading after the load. @param judgedMs the last part of the load, which is judged. */
  stop(judgedMs: number): SpoolTrend {
    clearInterval(this.timer);
    this.sample();
    return spoolTrendOf(this.samples, judgedMs);
  }

  private sample(): void {
    this.samples.push({ atMs: performance.now(), ...this.gauge.read() });
  }
}

/** Evaluates readings of a spool. Only the last `judgedMs` are judged. */
export function spoolTrendOf(samples: readonly Sample[], judgedMs: number): SpoolTrend {
  const endedAtMs = samples.at(-1)?.atMs ?? 0;
  const judged = samples.filter(({ atMs }) => atMs >= endedAtMs - judgedMs);
  const [first, last] = [judged[0], judged.at(-1)];
  const seconds = first === undefined || last === undefined ? 0 : (last.atMs - first.atMs) / 1000;
  const inflowBytesPerSecond =
    first === undefined || last === undefined || seconds === 0 ? 0 : (last.writtenBytes - first.writtenBytes) / seconds;
  const growthBytesPerSecond = slopePerSecond(judged.map(({ atMs, waitingBytes }) => ({ atMs, value: waitingBytes })));
  const minWaitingBytes = Math.min(...judged.map(({ waitingBytes }) => waitingBytes));
  const growthBytes = growthBytesPerSecond === null ? Number.POSITIVE_INFINITY : growthBytesPerSecond * seconds;
  return {
    minWaitingBytes,
    waitingBytesEachSecond: samples.map(({ waitingBytes }) => waitingBytes),
    growthBytesPerSecond,
    inflowBytesPerSecond,
    keepsUp: Math.min(growthBytes, minWaitingBytes) < inflowBytesPerSecond,
  };
}

/** Waits until the ingest has emptied the spool. @returns the duration in milliseconds; null after more than five minutes. */
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
