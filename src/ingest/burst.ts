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
/**
 * Milliseconds over which calls are counted before they are a burst, and after which it is over.
 * TRICKY: a machine that stood still for a second makes up for it in the next, as fast as a burst; over three seconds it does not look like one.
 */
const beginMs = 3000;
const endMs = 1000;
/** Calls that make a burst. While so many wait nothing is known of its end, as what comes is no longer read ahead. */
const burstCalls = (burstPerSecond * beginMs) / 1000;
/** Looks lie so far apart at least, milliseconds. */
const lookMs = 100;
/** A burst begins when less than this share of the cores is idle, and has ended when more than the second is. */
const idleAtBegin = 0.1;
const idleAtEnd = 0.5;
/** Below this share of the cores it is the ingest itself that keeps them busy. */
const leastOfOthers = 0.3;

/** How many exchanges have come so far, at a time of the clock that only goes forward. */
interface Look {
  readonly at: number;
  readonly come: number;
}

/**
 * Decides whether the ingest lets a burst of calls go first. On a machine without an idle core every batch takes time from the calls themselves,
 * and the spool is there to keep them meanwhile. A burst is put off once, for a bounded time; after that batches go on as usual until one
 * took all that waited.
 */
export class Burst {
  private readonly options: BurstOptions;
  private since: number | undefined;
  /** The burst that was put off is over, and not all that waited has been taken since. */
  private spent = false;
  /** Exchanges that batches have taken. */
  private taken = 0;
  private waiting = 0;
  /** Of the last seconds, oldest first. The first one counts what an earlier life has left as come. */
  private looks: readonly Look[] = [];

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
    this.waiting = waiting;
    this.look(now);
    if (this.since !== undefined && this.isOver(now, this.since)) this.spent = true;
    const isBurst = this.since !== undefined || this.comeWithin(beginMs, now) >= burstCalls;
    if (mostMs === 0 || this.spent || !isBurst || !this.othersNeedTheCores()) return false;
    this.since ??= now;
    return now - this.since < mostMs;
  }

  /** A batch is taken. @param left exchanges that still wait; when none does, what comes may be a new burst. */
  took(left: number): void {
    this.taken += this.waiting - left;
    this.waiting = left;
    if (left > 0) return;
    this.since = undefined;
    this.spent = false;
  }

  private look(now: number): void {
    const last = this.looks.at(-1);
    if (last !== undefined && now - last.at < lookMs) return;
    // The newest one that is older than what is counted stays: counting begins there.
    const first = Math.max(
      0,
      this.looks.findLastIndex(({ at }) => now - at >= beginMs),
    );
    this.looks = [...this.looks.slice(first), { at: now, come: this.taken + this.waiting }];
  }

  /** Exchanges that came in the last so many milliseconds; since the first look, where that was later. */
  private comeWithin(ms: number, now: number): number {
    const before = this.looks.findLast(({ at }) => now - at >= ms) ?? this.looks[0];
    return this.taken + this.waiting - (before?.come ?? 0);
  }

  private isOver(now: number, since: number): boolean {
    return now - since >= endMs && this.waiting < burstCalls && this.comeWithin(endMs, now) < (burstPerSecond * endMs) / 1000;
  }

  private othersNeedTheCores(): boolean {
    const shares = this.options.cpuShares();
    if (shares === undefined || 1 - shares.idle - shares.own < leastOfOthers) return false;
    return shares.idle <= (this.since === undefined ? idleAtBegin : idleAtEnd);
  }
}
