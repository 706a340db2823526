import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

const sampleMs = 1000;
const jiffyMs = 10;
/** From this share of a second on a machine is not measured but its host. */
const disturbingShare = 0.1;
/** What was taken is felt for as long again, as a service at half of its highest rate needs that to catch up, and so long at least. */
const minAftermathMs = 5000;

/** Jiffies of all cores since the start of the machine. */
export interface CoreTimes {
  readonly atMs: number;
  readonly cores: number;
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
 * of its own, nothing is ever stolen. Where the whole machine stood still its cores counted nothing: what is missing was taken too.
 * It cannot tell a host that others are busy on from one that grants this machine less than it asks for.
 */
export class StolenTime {
  private readonly disturbances: Disturbance[] = [];
  /** What was taken and is not caught up with yet. */
  private owedMs = 0;
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
    const share = shareOf(this.last, now);
    if (share >= disturbingShare) {
      this.owedMs += tookMs * share;
      this.disturbances.push({ fromMs, toMs: now.atMs + Math.max(this.owedMs, minAftermathMs) });
    } else {
      this.owedMs = Math.max(0, this.owedMs - tookMs);
    }
    this.last = now;
  }
}

function shareOf(one: CoreTimes, other: CoreTimes): number {
  const counted = other.all - one.all;
  const missing = Math.max(0, ((other.atMs - one.atMs) / jiffyMs) * other.cores - counted);
  return counted + missing === 0 ? 0 : (other.stolen - one.stolen + missing) / (counted + missing);
}

/** The first line: user, nice, system, idle, iowait, irq, softirq, steal. */
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
