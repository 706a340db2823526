import type { Clock } from '../../platform/clock.ts';
import type { CpuShares } from '../../platform/cpu-usage.ts';

export interface BurstOptions {
  /** Longest time for which batches are put off, milliseconds; 0 puts none off. */
  readonly maxMs: number;
  readonly cpuShares: () => CpuShares | undefined;
  readonly clock: Clock;
}

/** With fewer calls a second than these the ingest keeps up, also on two cores that have other work: to put them off would only make them late. */
const burstPerSecond = 2500;
/** Nor is it a burst when not much more come than have come all along: about so long, milliseconds, and so many times as many. */
const defaultMs = 60_000;
const beyondUsual = 1.25;
/**
 * Calls beyond that rate that make a burst, all together. While so many wait nothing is known of its end, as what comes is no longer read ahead.
 * TRICKY: a machine that stood still for some seconds makes up for them as fast as a burst. These are as many as 1,500 calls a second leave behind in five.
 */
const burstCalls = 7500;
/** A burst begins when less than this share of the cores is idle, and has ended when more than the second is. */
const idleAtBegin = 0.1;
const idleAtEnd = 0.5;
/** Below this share of the cores it is the ingest itself that keeps them busy. */
const minOfOthers = 0.3;

/**
 * Decides whether the ingest lets a burst of calls go first. On a machine without an idle core every batch takes time from the calls themselves,
 * and the spool is there to keep them meanwhile. A burst is put off once, for a bounded time; after that batches go on as usual until one
 * took all that waited.
 *
 * Calls are counted as by a bucket of tokens: each takes one, and each second brings back as many as the ingest keeps up with, be it because they
 * are few or because it has for a while.
 */
export class BurstGate {
  private readonly options: BurstOptions;
  private since: number | undefined;
  /** The burst that was put off is over, and not all that waited has been taken since. */
  private spent = false;
  private tokens = burstCalls;
  /** How many come a second, over {@link defaultMs}. */
  private defaultPerSecond = 0;
  /** When it was last asked, and how many waited then, or since a batch was taken. */
  private askedAt: number | undefined;
  private waiting = 0;

  constructor(options: BurstOptions) {
    this.options = options;
  }

  /**
   * Whether a batch that is due should wait. To be asked also when nothing waits, so that it is known since when calls come.
   * TRICKY: what counts is how fast they come, and not how many wait. After a moment in which the whole machine stood still many do, and to put those
   * off would make seconds of it.
   * @param waiting exchanges that wait for the store.
   */
  defers(waiting: number): boolean {
    const { maxMs, clock } = this.options;
    const now = clock.monotonic();
    this.count(waiting, now);
    if (this.since !== undefined && waiting < burstCalls && this.tokens >= burstPerSecond) this.spent = true;
    const isBurst = this.since !== undefined || this.tokens <= 0;
    if (maxMs === 0 || this.spent || !isBurst || !this.othersNeedTheCores()) return false;
    this.since ??= now;
    return now - this.since < maxMs;
  }

  /** A batch is taken. @param left exchanges that still wait; when none does, what comes may be a new burst. */
  took(left: number): void {
    this.waiting = left;
    if (left > 0) return;
    if (this.since !== undefined) this.tokens = burstCalls;
    this.since = undefined;
    this.spent = false;
  }

  /** What an earlier life has left does not come now: it is not counted. */
  private count(waiting: number, now: number): void {
    const { askedAt = now, waiting: before } = this;
    const passedMs = now - askedAt;
    const come = this.askedAt === undefined ? 0 : Math.max(0, waiting - before);
    const brought = (passedMs * Math.max(burstPerSecond, beyondUsual * this.defaultPerSecond)) / 1000;
    this.tokens = Math.max(0, Math.min(burstCalls, this.tokens + brought) - come);
    // Each call counts for less the longer ago it came, down to a third after that time.
    this.defaultPerSecond = this.defaultPerSecond * Math.exp(-passedMs / defaultMs) + (come * 1000) / defaultMs;
    this.askedAt = now;
    this.waiting = waiting;
  }

  private othersNeedTheCores(): boolean {
    const shares = this.options.cpuShares();
    if (shares === undefined || 1 - shares.idle - shares.own < minOfOthers) return false;
    return shares.idle <= (this.since === undefined ? idleAtBegin : idleAtEnd);
  }
}
