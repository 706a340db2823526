import { setTimeout as wait } from 'node:timers/promises';
import { FairSemaphore, type Permit } from '../fair-semaphore.ts';

/** About as long as a slice may hold up the calls and reads of others, milliseconds. */
const sliceMs = 5;

/**
 * Heavy work of many callers on the event loop, a slice of one owner at a time: owners take turns, and after a full slice everybody else on the
 * loop has it for as long. So all of this work together takes at most half of the loop, and an owner waits for one slice of each other one,
 * however much these have to do.
 */
export class SharedSlices {
  private readonly turns = new FairSemaphore({
    units: 1,
    maxUnitsOfOwner: 1,
    maxWaitingOfOwner: Infinity,
    refusal: () => new Error('Too much work waits for its turn.'),
  });

  /** Does some work of an owner when its turn comes. Work without end calls `giveWay` between small steps. */
  async run<Result>(owner: string, signal: AbortSignal, work: (giveWay: GiveWay) => Promise<Result>): Promise<Result> {
    const turn = new OwnerTurn(() => this.turns.acquire(1, { owner, signal }));
    await turn.begin();
    try {
      return await work(turn);
    } finally {
      turn.end();
    }
  }
}

export interface GiveWay {
  /** Whether the slice is over. */
  readonly isDue: () => boolean;
  /** Lets others have their turn. @throws the reason of the signal. */
  readonly giveWay: () => Promise<void>;
}

class OwnerTurn implements GiveWay {
  private readonly acquire: () => Promise<Permit>;
  private permit: Permit | undefined;
  private startedAt = 0;

  constructor(acquire: () => Promise<Permit>) {
    this.acquire = acquire;
  }

  async begin(): Promise<void> {
    this.permit = await this.acquire();
    this.startedAt = performance.now();
  }

  isDue(): boolean {
    return performance.now() - this.startedAt >= sliceMs;
  }

  async giveWay(): Promise<void> {
    // The permit is kept meanwhile, so that nobody's work follows at once.
    await wait(performance.now() - this.startedAt);
    // Asked for before the permit is released, so that its owner stands behind the others no longer than it must.
    const next = this.acquire();
    this.end();
    this.permit = await next;
    this.startedAt = performance.now();
  }

  end(): void {
    this.permit?.release();
    this.permit = undefined;
  }
}
