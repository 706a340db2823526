import { OrganizationShares, type Share, type Waiting } from '../organization-shares.ts';
import type { Queued } from '../linked-queue.ts';

/**
 * Lets few calls begin in each turn of the event loop, organisations in turn. Hundreds that come at once, and are soon refused, would make
 * one long turn otherwise, in which whatever others asked for before them waits too.
 */
export class LoopTurns {
  private readonly waiting = new OrganizationShares<WaitingCall>(1, 100);
  private readonly max: number;
  private readonly schedule: (turn: () => void) => void;
  private begun = 0;
  private isScheduled = false;

  /** @param max calls that begin in one turn. @param schedule runs a function in the next turn of the loop. */
  constructor(max: number, schedule: (turn: () => void) => void = (turn) => void setImmediate(turn)) {
    this.max = max;
    this.schedule = schedule;
  }

  /** Returns at once where few began in this turn. */
  async next(organizationId: string): Promise<void> {
    if (this.begun >= this.max || this.waiting.size > 0) return this.later(organizationId);
    this.begun += 1;
    this.scheduleTurn();
  }

  /** Returns in a later turn. */
  async later(organizationId: string): Promise<void> {
    this.scheduleTurn();
    await new Promise<void>((begin) => {
      this.waiting.add(new WaitingCall(organizationId, begin));
    });
  }

  private scheduleTurn(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    this.schedule(this.turn);
  }

  private readonly turn = (): void => {
    this.isScheduled = false;
    for (this.begun = 0; this.begun < this.max; this.begun += 1) {
      const call = this.waiting.next();
      if (call === undefined) break;
      this.waiting.take(call);
      this.waiting.release(call);
      call.begin();
    }
    if (this.begun > 0) this.scheduleTurn();
  };
}

class WaitingCall implements Waiting<WaitingCall>, Queued<WaitingCall> {
  readonly organizationId: string;
  readonly begin: () => void;
  share: Share<WaitingCall> | undefined;
  previous: WaitingCall | undefined;
  next: WaitingCall | undefined;
  isQueued = false;

  constructor(organizationId: string, begin: () => void) {
    this.organizationId = organizationId;
    this.begin = begin;
  }
}
