import type { Clock } from '../../platform/clock.ts';
import type { CpuShares } from '../../platform/cpu-usage.ts';

export interface BurstOptions {
  /** Max deferral of batches; 0 defers none. */
  readonly maxMs: number;
  readonly cpuShares: () => CpuShares | undefined;
  readonly clock: Clock;
}

/** At a lower rate the ingest keeps up, even on two busy cores, and a deferral would only add delay. */
const burstPerSecond = 2500;
/** A rate is a burst only beyond this multiple of the average over this time, milliseconds. */
const averageMs = 60_000;
const burstFactor = 1.25;
/**
 * Calls beyond that rate that make a burst. While this many wait the end of the burst is not visible, as the spool is no longer read
 * ahead.
 * TRICKY: after a stall, queued calls arrive at burst speed. 7,500 is five seconds' worth at 1,500 calls/s, so a stall of that length is
 * not mistaken for a burst.
 */
const burstCalls = 7500;
/** A burst begins when at most the first share of the cores is idle, and ends when more than the second is. */
const idleAtBegin = 0.1;
const idleAtEnd = 0.5;
/** Where other threads use a smaller share of the cores, the ingest itself keeps them busy. */
const minOthersShare = 0.3;

/**
 * Decides whether batches wait while a burst of calls lasts. On a machine without an idle core every batch takes time from the calls, and
 * the spool holds their records meanwhile. A burst defers batches once, for a bounded time; then they run until one has taken everything
 * that waited.
 *
 * A token bucket counts calls: each takes a token, and each second adds as many as the ingest keeps up with.
 */
export class BurstGate {
  private readonly options: BurstOptions;
  private deferringSince: number | undefined;
  /** The deferral is over, and a batch has not emptied the queue since. */
  private exhausted = false;
  private tokens = burstCalls;
  /** Average over {@link averageMs}. */
  private averagePerSecond = 0;
  private countedAt: number | undefined;
  private waiting = 0;

  constructor(options: BurstOptions) {
    this.options = options;
  }

  /**
   * Whether a batch that is due should wait. Called when nothing waits as well, to measure the rate from its beginning.
   * TRICKY: the rate of calls counts, not the length of the queue: after a stall of the machine many wait, and a deferral would add to
   * their delay.
   * @param waiting exchanges that wait for the store.
   */
  defers(waiting: number): boolean {
    const { maxMs, clock } = this.options;
    const now = clock.monotonic();
    this.count(waiting, now);
    if (this.deferringSince !== undefined && waiting < burstCalls && this.tokens >= burstPerSecond) this.exhausted = true;
    const isBurst = this.deferringSince !== undefined || this.tokens <= 0;
    if (maxMs === 0 || this.exhausted || !isBurst || !this.othersNeedTheCores()) return false;
    this.deferringSince ??= now;
    return now - this.deferringSince < maxMs;
  }

  /** Notes a batch. @param left exchanges that still wait; after 0 a new burst may begin. */
  onBatch(left: number): void {
    this.waiting = left;
    if (left > 0) return;
    if (this.deferringSince !== undefined) this.tokens = burstCalls;
    this.deferringSince = undefined;
    this.exhausted = false;
  }

  /** Exchanges that an earlier process left in the spool do not count as new calls. */
  private count(waiting: number, now: number): void {
    const { countedAt = now, waiting: before } = this;
    const passedMs = now - countedAt;
    const arrived = this.countedAt === undefined ? 0 : Math.max(0, waiting - before);
    const refill = (passedMs * Math.max(burstPerSecond, burstFactor * this.averagePerSecond)) / 1000;
    this.tokens = Math.max(0, Math.min(burstCalls, this.tokens + refill) - arrived);
    // Exponential decay: after that time a call counts for a third.
    this.averagePerSecond = this.averagePerSecond * Math.exp(-passedMs / averageMs) + (arrived * 1000) / averageMs;
    this.countedAt = now;
    this.waiting = waiting;
  }

  private othersNeedTheCores(): boolean {
    const shares = this.options.cpuShares();
    if (shares === undefined || 1 - shares.idle - shares.own < minOthersShare) return false;
    return shares.idle <= (this.deferringSince === undefined ? idleAtBegin : idleAtEnd);
  }
}
