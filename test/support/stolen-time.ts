import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const sampleMs = 1000;
const jiffyMs = 10;
/** From this share on, a second counts as disturbed by the host. */
const disturbingShare = 0.1;
/**
 * A disturbance lasts as long again as the stolen time, which a service at half of its highest rate needs to catch up, and at least this
 * long.
 */
const minAftermathMs = 5000;

/** Jiffies of all cores since boot. */
export interface CoreTimes {
  readonly atMs: number;
  readonly cores: number;
  readonly stolen: number;
  readonly all: number;
}

/** A disturbed second and the time that the service needs to catch up. */
interface Disturbance {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Measures, second by second, how much CPU time the host of a virtual machine gave to others (`steal` in `/proc/stat`; always zero
 * elsewhere and on real hardware). Jiffies that no core counted are stolen too: the whole machine was paused. A busy host and a CPU quota
 * of this machine look the same.
 */
export class StolenTime {
  private readonly disturbances: Disturbance[] = [];
  /** Stolen time that is not caught up yet. */
  private backlogMs = 0;
  private readonly readTimes: () => CoreTimes;
  private readonly first: CoreTimes;
  private last: CoreTimes;
  private readonly timer: NodeJS.Timeout;

  constructor(readTimes: () => CoreTimes = coreTimes) {
    this.readTimes = readTimes;
    this.first = readTimes();
    this.last = this.first;
    this.timer = setInterval(() => this.sample(), sampleMs);
  }

  stop(): void {
    clearInterval(this.timer);
    this.sample();
  }

  /** Stolen share of the whole time, 0 to 1. */
  share(): number {
    return shareOf(this.first, this.last);
  }

  /** Whether a disturbance overlaps the interval. Milliseconds of `performance.now()`. */
  disturbs(fromMs: number, toMs: number): boolean {
    return this.disturbances.some((disturbance) => disturbance.toMs >= fromMs && disturbance.fromMs <= toMs);
  }

  sample(): void {
    const [{ atMs: fromMs }, now] = [this.last, this.readTimes()];
    const tookMs = now.atMs - fromMs;
    const share = shareOf(this.last, now);
    if (share >= disturbingShare) {
      this.backlogMs += tookMs * share;
      this.disturbances.push({ fromMs, toMs: now.atMs + Math.max(this.backlogMs, minAftermathMs) });
    } else {
      this.backlogMs = Math.max(0, this.backlogMs - tookMs);
    }
    this.last = now;
  }
}

function shareOf(one: CoreTimes, other: CoreTimes): number {
  const counted = other.all - one.all;
  const missing = Math.max(0, ((other.atMs - one.atMs) / jiffyMs) * other.cores - counted);
  return counted + missing === 0 ? 0 : (other.stolen - one.stolen + missing) / (counted + missing);
}

/** Fields of the first line: user, nice, system, idle, iowait, irq, softirq, steal. */
function coreTimes(): CoreTimes {
  const atMs = performance.now();
  try {
    const [line = '', ...rest] = readFileSync('/proc/stat', 'utf8').split('\n');
    const cores = rest.filter((other) => /^cpu\d/.test(other)).length;
    const times = line.trim().split(/\s+/).slice(1, 9).map(Number);
    return { atMs, cores, stolen: times[7] ?? 0, all: times.reduce((sum, time) => sum + time, 0) };
  } catch {
    return { atMs, cores: 0, stolen: 0, all: 0 };
  }
}
