/** For so long one turn of the event loop works on calls; a piece of work that has begun is not broken off. */
const defaultMaxMs = 5;

/** The work of one organisation that waits. */
interface Share {
  /** The oldest first. */
  readonly works: (() => void)[];
  /** Time that its work took, as far as it counts beside others; milliseconds. */
  spentMs: number;
}

/** What comes of work that is done in steps. What `done` throws goes to `failed`. */
export interface StepsEnd<Result> {
  readonly done: (result: Result) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Shares the time of the event loop between organisations. A hundred calls may arrive in one turn of it, and those whose bodies have to be gone through take
 * milliseconds each: all others, also those that wait for a provider's answer alone, would wait for all of them. So a turn has some time for calls; what comes
 * later goes on in later turns, first that of the organisation which has had the least time: fifty small calls go before the second one that takes long.
 */
export class LoopTurns {
  private readonly monotonic: () => number;
  private readonly maxMs: number;
  /** Of organisations, since somebody waits. */
  private readonly shares = new Map<string, Share>();
  private waiting = 0;
  /** What the organisation had had whose work was done last: who comes anew has had as much. */
  private levelMs = 0;
  /** When the time of this turn of the event loop is over; undefined before its first call. */
  private until: number | undefined;

  /** @param monotonic milliseconds of a clock that never steps back. */
  constructor(monotonic: () => number, maxMs = defaultMaxMs) {
    this.monotonic = monotonic;
    this.maxMs = maxMs;
  }

  /** Whether a call may go on at once; nearly every one may. Who may not waits with {@link later}. @param now monotonic, milliseconds. */
  hasTime(now: number): boolean {
    if (this.waiting > 0) return false;
    if (this.until === undefined) this.begin(now);
    return now < (this.until ?? 0);
  }

  /** Does work of an organisation when its turn comes, never before this returns. It must not throw. */
  later(organizationId: string, work: () => void): void {
    if (this.until === undefined) this.begin(this.monotonic());
    this.waiting += 1;
    const share = this.shares.get(organizationId);
    if (share === undefined) this.shares.set(organizationId, { works: [work], spentMs: this.levelMs });
    else {
      if (share.works.length === 0) share.spentMs = Math.max(share.spentMs, this.levelMs);
      share.works.push(work);
    }
  }

  /** Does work of an organisation step by step, each when its turn comes. One of the two is called, once; `failed` must not throw. */
  inSteps<Result>(organizationId: string, steps: Iterator<void, Result>, { done, failed }: StepsEnd<Result>): void {
    const step = (): void => {
      try {
        const next = steps.next();
        if (next.done === true) done(next.value);
        else this.later(organizationId, step);
      } catch (error) {
        failed(error);
      }
    };
    this.later(organizationId, step);
  }

  private begin(now: number): void {
    this.until = now + this.maxMs;
    setImmediate(this.next);
  }

  /** The turn is over. The time of the next one begins with what waits, and what arrives in it comes behind. */
  private readonly next = (): void => {
    this.until = undefined;
    if (this.waiting === 0) return;
    let now = this.monotonic();
    this.begin(now);
    const until = now + this.maxMs;
    do {
      const share = this.least();
      const work = share?.works.shift();
      if (share === undefined || work === undefined) break;
      this.waiting -= 1;
      this.levelMs = share.spentMs;
      work();
      const endedAt = this.monotonic();
      share.spentMs += endedAt - now;
      now = endedAt;
    } while (now < until);
    if (this.waiting > 0) return;
    this.shares.clear();
    this.levelMs = 0;
  };

  /** Of those who wait the one that has had the least time; of equals the one that has waited longest. */
  private least(): Share | undefined {
    let least: Share | undefined;
    for (const share of this.shares.values()) {
      if (share.works.length > 0 && (least === undefined || share.spentMs < least.spentMs)) least = share;
    }
    return least;
  }
}
