import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const sampleMs = 1000;
/** A second that took so long was none: the whole machine stood still. */
const standstillMs = 1500;
/** From this share of a second on a machine is not measured but its host. */
const disturbingShare = 0.1;
/** A disturbance is felt for as long again as it lasted, and so long at least: at half of its highest rate a service needs that to catch up. */
const leastAftermathMs = 5000;

/** Jiffies of all cores since the start of the machine. */
export interface CoreTimes {
  readonly atMs: number;
  readonly stolen: number;
  readonly all: number;
}

/** A disturbed second with its aftermath. */
interface Disturbance {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * How much of the cores' time the host of a virtual machine gave to others, second by second. Linux tells it in `/proc/stat`; elsewhere, and on a machine
 * of its own, nothing is ever stolen.
 */
export class StolenTime {
  private readonly disturbances: Disturbance[] = [];
  /** What is still felt of disturbances. */
  private aftermathMs = 0;
  private readonly look: () => CoreTimes;
  private readonly first: CoreTimes;
  private last: CoreTimes;
  private readonly timer: NodeJS.Timeout;

  constructor(look: () => CoreTimes = coreTimes) {
    this.look = look;
    this.first = look();
    this.last = this.first;
    this.timer = setInterval(() => this.sample(), sampleMs);
  }

  stop(): void {
    clearInterval(this.timer);
    this.sample();
  }

  /** Of the whole time, 0 to 1. */
  share(): number {
    return shareOf(this.first, this.last);
  }

  /** Whether something between two moments was disturbed: much was stolen, or had been shortly before. Milliseconds of `performance.now()`. */
  disturbs(fromMs: number, toMs: number): boolean {
    return this.disturbances.some((disturbance) => disturbance.toMs >= fromMs && disturbance.fromMs <= toMs);
  }

  sample(): void {
    const [{ atMs: fromMs }, now] = [this.last, this.look()];
    const tookMs = now.atMs - fromMs;
    if (tookMs >= standstillMs || shareOf(this.last, now) >= disturbingShare) {
      this.aftermathMs = Math.max(this.aftermathMs + tookMs, leastAftermathMs);
      this.disturbances.push({ fromMs, toMs: now.atMs + this.aftermathMs });
    } else {
      this.aftermathMs = Math.max(0, this.aftermathMs - tookMs);
    }
    this.last = now;
  }
}

function shareOf(one: CoreTimes, other: CoreTimes): number {
  return other.all === one.all ? 0 : (other.stolen - one.stolen) / (other.all - one.all);
}

/** The first line: user, nice, system, idle, iowait, irq, softirq, steal. */
function coreTimes(): CoreTimes {
  const atMs = performance.now();
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    const times = line.trim().split(/\s+/).slice(1, 9).map(Number);
    return { atMs, stolen: times[7] ?? 0, all: times.reduce((sum, time) => sum + time, 0) };
  } catch {
    return { atMs, stolen: 0, all: 0 };
  }
}
