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
/** A burst begins when less than this share of the cores is idle, and has ended when more than the second is. */
const idleAtBegin = 0.1;
const idleAtEnd = 0.5;
/** Below this share of the cores it is the ingest itself that keeps them busy. */
const leastOfOthers = 0.3;

/**
 * Decides whether the ingest lets a burst of calls go first. On a machine without an idle core every batch takes time from the calls themselves,
 * and the spool is there to keep them meanwhile. A burst is put off once, for a bounded time; after that batches go on as usual until one
 * took all that waited.
 */
export class Burst {
  private readonly options: BurstOptions;
  private since: number | undefined;

  constructor(options: BurstOptions) {
    this.options = options;
  }

  /** Whether a batch that is due should wait. @param waiting exchanges that wait for the store. @param waitedMs time since the last batch. */
  putsOff(waiting: number, waitedMs: number): boolean {
    const { mostMs, clock } = this.options;
    if (mostMs === 0 || waiting * 1000 < burstPerSecond * Math.min(waitedMs, 1000) || !this.othersNeedTheCores()) return false;
    const now = clock.monotonic();
    this.since ??= now;
    return now - this.since < mostMs;
  }

  /** A batch took all that waited: what comes is a new burst. */
  caughtUp(): void {
    this.since = undefined;
  }

  private othersNeedTheCores(): boolean {
    const shares = this.options.cpuShares();
    if (shares === undefined || 1 - shares.idle - shares.own < leastOfOthers) return false;
    return shares.idle <= (this.since === undefined ? idleAtBegin : idleAtEnd);
  }
}
