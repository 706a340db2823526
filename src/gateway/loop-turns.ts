import { OrganizationShares, type Share, type Waiting } from './organization-shares.ts';

/** For so long one turn of the event loop works on calls; a piece of work that has begun is not broken off. */
const usualMaxMs = 5;

/** A piece of a call's work that waits for its turn. */
class WaitingWork implements Waiting<WaitingWork> {
  before: WaitingWork | undefined;
  behind: WaitingWork | undefined;
  isQueued = false;
  share: Share<WaitingWork> | undefined;
  readonly organizationId: string;
  readonly work: () => void;

  constructor(organizationId: string, work: () => void) {
    this.organizationId = organizationId;
    this.work = work;
  }
}

/** What comes of work that is done in steps. What `done` throws goes to `failed`. */
export interface StepsEnd<Result> {
  readonly done: (result: Result) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Shares the time of the event loop between organisations. A hundred calls may arrive in one turn of it, and those whose bodies have to be gone through take
 * milliseconds each: all others, also those that wait for a provider's answer alone, would wait for all of them. So a turn has some time for calls; what comes
 * later goes on in later turns, which organisations take one after the other.
 */
export class LoopTurns {
  private readonly monotonic: () => number;
  private readonly maxMs: number;
  private readonly waiting = new OrganizationShares<WaitingWork>(1, 100);
  /** When the time of this turn of the event loop is over; undefined before its first call. */
  private until: number | undefined;

  /** @param monotonic milliseconds of a clock that never steps back. */
  constructor(monotonic: () => number, maxMs = usualMaxMs) {
    this.monotonic = monotonic;
    this.maxMs = maxMs;
  }

  /** Whether a call may go on at once; nearly every one may. Who may not waits with {@link later}. @param now monotonic, milliseconds. */
  hasTime(now: number): boolean {
    if (this.waiting.size > 0) return false;
    if (this.until === undefined) this.begin(now);
    return now < (this.until ?? 0);
  }

  /** Does work of an organisation when its turn comes, never before this returns. It must not throw. */
  later(organizationId: string, work: () => void): void {
    if (this.until === undefined) this.begin(this.monotonic());
    this.waiting.add(new WaitingWork(organizationId, work));
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
    if (this.waiting.size === 0) return;
    const until = this.monotonic() + this.maxMs;
    this.until = until;
    setImmediate(this.next);
    do {
      const waiting = this.waiting.next();
      if (waiting === undefined) return;
      this.waiting.take(waiting);
      this.waiting.giveBack(waiting);
      waiting.work();
    } while (this.monotonic() < until);
  };
}
