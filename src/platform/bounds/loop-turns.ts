import { OrganizationShares, type Share, type Waiting } from '../organization-shares.ts';
import type { Queued } from '../linked-queue.ts';

/** Calls that begin in one turn of the event loop. Each works some hundred microseconds before it waits for something. */
const callsInTurn = 4;

/**
 * Lets few calls begin in each turn of the event loop, organisations in turn. Hundreds that come at once, and are soon refused, would make
 * one long turn otherwise, in which whatever others asked for before them waits too.
 */
export class LoopTurns {
  private readonly waiting = new OrganizationShares<WaitingCall>(1, 100);
  private readonly schedule: (turn: () => void) => void;
  private begun = 0;

  /** @param schedule runs a function in the next turn of the loop. */
  constructor(schedule: (turn: () => void) => void = (turn) => void setImmediate(turn)) {
    this.schedule = schedule;
  }

  /** Returns at once where few began in this turn. */
  async next(organizationId: string): Promise<void> {
    if (this.begun === 0) this.schedule(this.turn);
    if (this.begun < callsInTurn && this.waiting.size === 0) {
      this.begun += 1;
      return;
    }
    await new Promise<void>((begin) => {
      this.waiting.add(new WaitingCall(organizationId, begin));
    });
  }

  private readonly turn = (): void => {
    for (this.begun = 0; this.begun < callsInTurn; this.begun += 1) {
      const call = this.waiting.next();
      if (call === undefined) break;
      this.waiting.take(call);
      this.waiting.release(call);
      call.begin();
    }
    if (this.begun > 0) this.schedule(this.turn);
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
