/** Maximum time that one tick spends on calls; work that has begun is not interrupted. */
const defaultMaxMs = 5;

/** The waiting work of one organisation. */
interface Share {
  readonly tasks: (() => void)[];
  /** Time that its tasks took, comparable to that of the others. */
  spentMs: number;
}

/** An error of `done` goes to `failed`. */
export interface StepsEnd<Result> {
  readonly done: (result: Result) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Shares the event loop between organisations. A hundred calls may arrive in one tick, and scanning a body takes milliseconds, which would
 * delay every other call. So each tick has a time budget; further work waits for later ticks, the organisation with the least time so far
 * first. Fifty small calls go before the second long one.
 */
export class EventLoopScheduler {
  private readonly monotonic: () => number;
  private readonly maxMs: number;
  /** By organisation, since work began to wait. */
  private shares = new Map<string, Share>();
  private waiting = 0;
  /** The spent time of the organisation that ran last. A new organisation starts with it. */
  private baselineMs = 0;
  /** End of this tick's budget; undefined before its first call. */
  private budgetEndsAt: number | undefined;

  constructor(monotonic: () => number, maxMs = defaultMaxMs) {
    this.monotonic = monotonic;
    this.maxMs = maxMs;
  }

  /** Whether a call may go on at once, as nearly every one may; otherwise it waits with {@link later}. @param now monotonic. */
  hasTime(now: number): boolean {
    if (this.waiting > 0) return false;
    if (this.budgetEndsAt === undefined) this.begin(now);
    return now < (this.budgetEndsAt ?? 0);
  }

  /** Runs work in a later tick. It must not throw. */
  later(organizationId: string, task: () => void): void {
    if (this.budgetEndsAt === undefined) this.begin(this.monotonic());
    this.waiting += 1;
    const share = this.shares.get(organizationId);
    if (share === undefined) this.shares.set(organizationId, { tasks: [task], spentMs: this.baselineMs });
    else {
      if (share.tasks.length === 0) share.spentMs = Math.max(share.spentMs, this.baselineMs);
      share.tasks.push(task);
    }
  }

  /** Runs an iterator one step at a time. Either `done` or `failed` is called, once; `failed` must not throw. */
  inSteps<Result>(organizationId: string, steps: Iterator<void, Result>, { done, failed }: StepsEnd<Result>): void {
    const step = (): void => {
      try {
        const result = steps.next();
        if (result.done === true) done(result.value);
        else this.later(organizationId, step);
      } catch (error) {
        failed(error);
      }
    };
    this.later(organizationId, step);
  }

  private begin(now: number): void {
    this.budgetEndsAt = now + this.maxMs;
    setImmediate(this.runTick);
  }

  /** Starts the next tick's budget with the waiting work. */
  private readonly runTick = (): void => {
    this.budgetEndsAt = undefined;
    if (this.waiting === 0) return;
    let now = this.monotonic();
    this.begin(now);
    const budgetEndsAt = now + this.maxMs;
    do {
      const share = this.leastServed();
      const task = share?.tasks.shift();
      if (share === undefined || task === undefined) break;
      this.waiting -= 1;
      this.baselineMs = share.spentMs;
      task();
      const endedAt = this.monotonic();
      share.spentMs += endedAt - now;
      now = endedAt;
    } while (now < budgetEndsAt);
    if (this.waiting > 0) return;
    // TRICKY: not `clear`, after which V8's old table points to the new one: once one is promoted, every later one survives minor GCs.
    this.shares = new Map();
    this.baselineMs = 0;
  };

  /** The share with the least spent time; of equals, the oldest. */
  private leastServed(): Share | undefined {
    let least: Share | undefined;
    for (const share of this.shares.values()) {
      if (share.tasks.length > 0 && (least === undefined || share.spentMs < least.spentMs)) least = share;
    }
    return least;
  }
}
