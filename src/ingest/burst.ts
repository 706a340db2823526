import type { Clock } from '../platform/clock.ts';
import type { CpuShares } from '../platform/cpu-shares.ts';

export interface BurstOptions {
  /** Longest time for which batches are put off, milliseconds; 0 puts none off. */
  readonly mostMs: number;
  readonly cpuShares: () => CpuShares | undefined;
  readonly clock: Clock;
}

/** With fewer calls a second than these the ingest keeps up, also on two cores that have other work: to put them off would only make them late. */
const burstPerSecond = 2500;
/** What comes in less time is no rate yet, milliseconds. */
const leastMs = 300;
/** A burst begins when less than this share of the cores is idle, and has ended when more than the second is. */
const idleAtBegin = 0.1;
const idleAtEnd = 0.5;
/** Below this share of the cores it is the ingest itself that keeps them busy. */
const leastOfOthers = 0.3;

/** How many exchanges wait, at a time of the clock that only goes forward. */
interface Waiting {
  readonly at: number;
  readonly waiting: number;
}

/**
 * Decides whether the ingest lets a burst of calls go first. On a machine without an idle core every batch takes time from the calls themselves,
 * and the spool is there to keep them meanwhile. A burst is put off once, for a bounded time; after that batches go on as usual until one
 * took all that waited.
 */
export class Burst {
  private readonly options: BurstOptions;
  private since: number | undefined;
  /** How many waited when the ingest last took some, or when nothing waited; at first what an earlier life has left. */
  private before: Waiting | undefined;

  constructor(options: BurstOptions) {
    this.options = options;
  }

  /**
   * Whether a batch that is due should wait. To be asked also when nothing waits, so that it is known since when calls come.
   * TRICKY: what counts is how fast they come, and not how many wait. After a moment in which the whole machine stood still many do, and to put those
   * off would make seconds of it.
   * @param waiting exchanges that wait for the store.
   */
  putsOff(waiting: number): boolean {
    const { mostMs, clock } = this.options;
    const now = clock.monotonic();
    if (waiting === 0 || this.before === undefined) this.before = { at: now, waiting };
    const isBurst = this.since !== undefined || comesFast(this.before, { at: now, waiting });
    if (mostMs === 0 || !isBurst || !this.othersNeedTheCores()) return false;
    this.since ??= now;
    return now - this.since < mostMs;
  }

  /** A batch is taken. @param left exchanges that still wait; when none does, what comes is a new burst. */
  took(left: number): void {
    this.before = { at: this.options.clock.monotonic(), waiting: left };
    if (left === 0) this.since = undefined;
  }

  private othersNeedTheCores(): boolean {
    const shares = this.options.cpuShares();
    if (shares === undefined || 1 - shares.idle - shares.own < leastOfOthers) return false;
    return shares.idle <= (this.since === undefined ? idleAtBegin : idleAtEnd);
  }
}

function comesFast(before: Waiting, { at, waiting }: Waiting): boolean {
  return (waiting - before.waiting) * 1000 >= burstPerSecond * Math.max(leastMs, at - before.at);
}
